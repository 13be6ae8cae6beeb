import { BeckonError } from '../../client/beckon-error.ts';
import type { ConnectionState, Transport } from '../../client/transport.ts';
import { STILL_BEFORE_PRESS_MS } from '../../model/limits.ts';
import type { SessionSnapshot } from '../../protocol/announcement.ts';
import type { Event } from '../../protocol/event.ts';
import type { Session, WhileBusy } from '../../protocol/session.ts';
import type { Console } from '../console.ts';
import { interactionView } from '../render/interaction-view.ts';
import { paintFor } from '../render/paint.ts';
import { oneLine, safeJson } from '../render/safe-text.ts';
import { createTranscript } from '../render/transcript.ts';
import { AnswerDesk } from './answer-desk.ts';
import { completeMessage } from './complete-line.ts';
import type { AskedInteraction } from './dialog.ts';
import type { History } from './history.ts';
import type { Completer } from './line-editor.ts';
import { interactiveScreen, isTerminal, plainScreen, type Screen } from './screen.ts';
import { dispositionOf, receiptLine } from './session-commands.ts';

interface Watching {
  readonly after: number;
  readonly isInteractive: boolean;
  readonly isOnce: boolean;
  /** As the server is set, for a session that is not. */
  readonly whileBusy: WhileBusy;
  /** Whether there is something to go back to by Escape. */
  readonly canGoBack: boolean;
  /** What was said before in this terminal. */
  readonly history?: History;
}

/** The purpose of a line that was begun before what is asked could be read. */
const settling = 'settling';

/** A second Ctrl-C within this time leaves. */
const secondPressMs = 3_000;

/** Shows a session's conversation and, to a person who can type, lets it be answered. */
export function followAsConversation(
  transport: Transport,
  session: Session,
  console: Console,
  watching: Watching,
): Promise<number | 'back'> {
  return new Promise((resolve, reject) => {
    const paint = paintFor(console);
    const ownTexts = new Set<string>();
    const ownMessages = new Set<string>();
    let isTurnRunning = false;
    let { whileBusy } = session;
    let hasBegun = false;
    let isLost = false;
    let leavesUntil = 0;
    let sending: Promise<void> = Promise.resolve();
    let isLeft = false;
    let isOver = false;

    const completeHere = completeMessage(transport, session.id);
    // What answers an ask goes to whoever asked, and is no command.
    const complete: Completer = async (text, at) =>
      desk.asking === undefined ? completeHere(text, at) : undefined;
    const transcript = createTranscript({
      paint,
      // A pipe gets what is said as it was written.
      width: console.stdout.isTTY ? () => console.stdout.columns || 80 : undefined,
      isOwnMessage: (id) => ownMessages.has(id),
      isOwnAnswer: (id) => desk.isOwnAnswer(id),
    });
    const desk = new AnswerDesk({
      transport,
      session: session.id,
      canAnswer: watching.isInteractive,
      stillMs: isTerminal(console) ? STILL_BEFORE_PRESS_MS : 0,
      onChange: () => screen.update(),
      say: (text) => say(paint('yellow', text)),
      show: (interaction, isWhole) => show(interaction, isWhole ? Number.POSITIVE_INFINITY : undefined),
    });
    const screen: Screen = watching.isInteractive
      ? interactiveScreen(
          console,
          {
            purpose: () => (desk.isSettling ? settling : desk.asking),
            promptFor: (purpose) => ({
              prompt: purpose === undefined ? '› ' : '? › ',
              isSecret: purpose !== undefined && desk.isSecret,
            }),
            onLine: takeLine,
            onInterrupt: interrupt,
            onLeave: () => leave(0),
            onEscape: () => watching.canGoBack && leave('back'),
          },
          { paint, history: watching.history, complete },
        )
      : plainScreen(console);
    const end = endOfWatch(transport, watching, {
      onCaughtUp: () => desk.start(),
      onOver: over,
    });
    const unfollow = transport.follow(session.id, {
      after: watching.after,
      // Whoever can type here can answer: a tool that asks need not say that nobody is there.
      interaction: watching.isInteractive ? 'enabled' : 'none',
      onSnapshot(snapshot) {
        isTurnRunning = snapshot.session.status === 'running' || snapshot.session.status === 'waiting';
        whileBusy = snapshot.session.whileBusy;
        screen.write(transcript.snapshot(snapshot), transcript.live());
        // Later snapshots tell nothing new: the events since then follow them.
        if (!hasBegun) for (const open of snapshot.pending) desk.open(open, false);
        hasBegun = true;
        isLost = false;
        end.snapshot(snapshot);
      },
      onEvent: takeEvent,
      onDelta: (delta) => screen.write(transcript.delta(delta), transcript.live()),
      onConnection: tellConnection,
    });

    function say(text: string): void {
      screen.write(transcript.line(text));
    }

    function takeEvent(event: Event): void {
      if (event.type === 'message.queued' && ownTexts.delete(event.clientMessageId ?? '')) {
        ownMessages.add(event.messageId);
      }
      if (event.type === 'session.changed' && event.whileBusy !== undefined)
        whileBusy = event.whileBusy ?? undefined;
      if (event.type === 'turn.started') isTurnRunning = true;
      if (event.type === 'turn.ended') isTurnRunning = false;
      screen.write(transcript.event(event), transcript.live());
      if (event.type === 'interaction.requested') {
        desk.open({ ...event.ask, interactionId: event.interactionId }, true);
      }
      if (event.type === 'interaction.resolved') desk.close(event.interactionId);
      end.event(event);
    }

    function show(interaction: AskedInteraction, mostLines?: number): void {
      for (const line of interactionView(interaction, paint, mostLines)) say(line);
    }

    /** A line answers only what was asked when it was begun, and is a message only if nothing was. */
    function takeLine(line: string, begunFor: string | undefined): 'taken' | 'dropped' {
      const message = begunFor === undefined ? line : /^\s*>(.*)$/s.exec(line)?.[1];
      if (message !== undefined) {
        const text = message.trim();
        if (text === '') return 'taken';
        watching.history?.add(text);
        sending = sending.then(() => send(text)).catch(fail);
        return 'taken';
      }
      if (begunFor === desk.asking && !desk.isSettling) {
        run(desk.take(line));
        return 'taken';
      }
      if (line.trim() === '') return 'taken';
      const why =
        begunFor === settling
          ? 'What is asked had only just come up'
          : 'What this was an answer to has ended meanwhile';
      say(paint('yellow', `${why}; nothing was sent. Ctrl-Y brings back what you typed.`));
      return 'dropped';
    }

    async function send(message: string): Promise<void> {
      const clientMessageId = globalThis.crypto.randomUUID();
      ownTexts.add(clientMessageId);
      try {
        const disposition = dispositionOf(whileBusy ?? watching.whileBusy);
        const receipt = await transport.sendMessage(session.id, { message, clientMessageId, disposition });
        if (receipt.status === 'queued') say(paint('dim', receiptLine(receipt)));
      } catch (error) {
        if (!(error instanceof BeckonError)) throw error;
        say(paint('red', `not sent: ${oneLine(error.message)}`));
      }
    }

    function interrupt(): void {
      const now = Date.now();
      if (now < leavesUntil) {
        say(paint('dim', 'The session goes on.'));
        leave(0);
        return;
      }
      leavesUntil = now + secondPressMs;
      say(
        paint(
          'dim',
          `${isTurnRunning ? 'Interrupting the turn. ' : ''}Ctrl-C again leaves; the session goes on.`,
        ),
      );
      if (isTurnRunning) run(transport.interrupt(session.id));
    }

    function tellConnection(connection: ConnectionState): void {
      switch (connection.state) {
        case 'lost':
          if (!isLost) say(paint('yellow', 'The connection is lost; trying again.'));
          isLost = true;
          return;
        case 'connected':
          if (isLost) say(paint('dim', 'Connected again.'));
          return;
        case 'closed':
          if (connection.error !== undefined) endWith(connection.error);
          return;
        case 'connecting':
          return;
      }
    }

    function endWith(error: Error): void {
      const isRemoved = error instanceof BeckonError && error.code === 'session_not_found';
      if (isRemoved) {
        say(paint('dim', 'The session was removed.'));
        leave(0);
      } else fail(error);
    }

    function run(action: Promise<void>): void {
      action.catch((error: unknown) => {
        if (error instanceof BeckonError) say(paint('red', oneLine(error.message)));
        else fail(error);
      });
    }

    /** Whoever can go back to where they came from may still want to read. */
    function over(exitCode: number): void {
      if (!watching.canGoBack) leave(exitCode);
      else if (!isOver) say(paint('dim', 'The session has ended; Escape goes back.'));
      isOver = true;
    }

    function leave(exitCode: number | 'back'): void {
      close();
      resolve(exitCode);
    }

    function fail(error: unknown): void {
      close();
      reject(error);
    }

    function close(): void {
      if (isLeft) return;
      isLeft = true;
      unfollow();
      desk.end();
      screen.close();
    }
  });
}

/** A session's news for machines: one JSON object a line. */
export function followAsJson(
  transport: Transport,
  session: Session,
  { stdout }: Console,
  watching: Watching,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const put = (line: Readonly<Record<string, unknown>>) => stdout.write(`${safeJson(line)}\n`);
    const leave = (exitCode: number) => {
      unfollow();
      resolve(exitCode);
    };
    const end = endOfWatch(transport, watching, { onCaughtUp() {}, onOver: leave });
    const unfollow = transport.follow(session.id, {
      after: watching.after,
      onSnapshot(snapshot) {
        put({ type: 'snapshot', snapshot });
        end.snapshot(snapshot);
      },
      onEvent(event) {
        put({ type: 'event', event });
        end.event(event);
      },
      onDelta: (delta) => void put({ type: 'delta', delta }),
      onConnection(connection) {
        if (connection.state === 'closed' && connection.error !== undefined) reject(connection.error);
      },
    });
  });
}

interface EndOfWatch {
  snapshot(snapshot: SessionSnapshot): void;
  event(event: Event): void;
}

/** Notices when there is no more to see: the session has ended or, if `isOnce`, has nothing more to do. */
function endOfWatch(
  transport: Transport,
  { isOnce, after }: { readonly isOnce: boolean; readonly after: number },
  handlers: { readonly onCaughtUp: () => void; readonly onOver: (exitCode: number) => void },
): EndOfWatch {
  let seen = after;
  let upTo = Number.POSITIVE_INFINITY;
  let isCaughtUp = false;
  let sessionId = '';

  return {
    snapshot(snapshot) {
      sessionId = snapshot.session.id;
      upTo = snapshot.lastSeq;
      if (seen >= upTo) caughtUp(snapshot.session);
    },
    event(event) {
      seen = event.seq;
      if (seen < upTo) return;
      if (!isCaughtUp || endings.has(event.type)) {
        // The event is of the past already; only the session itself says whether it still holds.
        transport.session(sessionId).then(caughtUp, goneOrLost);
      }
    },
  };

  /** When the server cannot be reached now, the next snapshot tells. */
  function goneOrLost(error: unknown): void {
    if (error instanceof BeckonError && error.code === 'session_not_found') handlers.onOver(0);
  }

  function caughtUp(session: Session): void {
    if (!isCaughtUp) {
      isCaughtUp = true;
      handlers.onCaughtUp();
    }
    const { status, queueLength } = session;
    // What is queued for a sleeping agent waits until somebody wakes it.
    const isAtRest = status === 'asleep' || (status === 'idle' && queueLength === 0);
    if (status === 'stopped') handlers.onOver(0);
    else if (status === 'failed') handlers.onOver(1);
    else if (isOnce && isAtRest) handlers.onOver(0);
  }
}

const endings: ReadonlySet<Event['type']> = new Set<Event['type']>([
  'turn.ended',
  'session.stopped',
  'session.failed',
]);

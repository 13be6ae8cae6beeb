import { visibleLine } from '../../model/suspicious-text.ts';
import type { Event } from '../../protocol/event.ts';
import { interactionView } from './interaction-view.ts';
import { isolationWords } from './isolation.ts';
import { leftOpenNote } from './left-open.ts';
import { counted } from './measures.ts';
import type { Paint } from './paint.ts';
import { oneLine, stripEscapes } from './safe-text.ts';
import { turnLine } from './turn-line.ts';

/** Events that are told line by line; the agent's words and its tools have a course of their own (see `transcript.ts`). */
export type PlainEvent = Exclude<
  Event,
  {
    type:
      | 'agent.text'
      | 'agent.thinking'
      | 'tool.called'
      | 'tool.result'
      | 'interaction.decided'
      | 'interaction.resolved'
      | 'message.taken';
  }
>;

/** The lines in which an event is told; none for what a reader of the conversation need not know. */
export function eventLines(event: PlainEvent, paint: Paint): string[] {
  const note = (text: string) => [paint('dim', text)];
  switch (event.type) {
    case 'session.created':
      return [
        `${paint('bold', oneLine(event.title))} ${paint('dim', `· ${event.agent} · ${oneLine(event.cwd)}`)}`,
      ];
    case 'session.changed':
      return [
        ...(event.title === undefined ? [] : note(`title: ${oneLine(event.title)}`)),
        ...(event.whileBusy === undefined
          ? []
          : note(`messages now ${busyWords[event.whileBusy ?? 'server']}`)),
      ];
    case 'session.stopped':
      return [
        paint('yellow', '■ stopped'),
        ...event.returned.map((text) => paint('dim', `  not sent: ${oneLine(text)}`)),
      ];
    case 'session.failed':
      return [
        paint('red', `✗ failed: ${oneLine(event.reason)}`),
        ...event.stderr.map((line) => paint('dim', `  ${oneLine(line)}`)),
      ];
    case 'session.reopened':
      return note('resumed');
    case 'mode.changed':
      return note(`mode: ${oneLine(event.permissionMode)}`);
    case 'model.changed':
      return note(`model: ${oneLine(event.model ?? 'default')}`);
    case 'process.starting':
      return event.cause === 'crash'
        ? [paint('yellow', 'the agent ended unexpectedly; it is started again')]
        : [];
    case 'process.exited':
      return event.cause === 'by-itself' || event.cause === 'not-started'
        ? [paint('yellow', `the agent's process ended (${exitOf(event)})`)]
        : [];
    case 'message.requeued':
      return note(`the message waits again: ${oneLine(event.reason)}`);
    case 'turn.interrupting':
      return note('interrupting…');
    case 'turn.overdue':
      return [paint('yellow', 'the agent does not react to the interrupt; "beckon stop" ends the session')];
    case 'turn.ended':
      return [turnLine(event, paint), ''];
    case 'agent.notice':
      return stripEscapes(event.text)
        .split('\n')
        .map((line) =>
          paint(event.level === 'error' ? 'red' : event.level === 'warning' ? 'yellow' : 'dim', line),
        );
    case 'user.text':
      return stripEscapes(event.text)
        .split('\n')
        .map((line) => paint('dim', `› ${line}`));
    case 'task.changed':
      return event.status === 'running'
        ? []
        : note(`task ${event.status}: ${oneLine(event.summary ?? event.description ?? event.taskId)}`);
    case 'interaction.requested':
      return interactionView(event.ask, paint);
    case 'interaction.parked':
      return note('still waits for you; parked');
    case 'interaction.left-open':
      return note(leftOpenNote(event.leftOpen));
    case 'interaction.deferred':
      return note('still waits for you; the agent sleeps until it is answered');
    case 'grant.created':
      return note(
        `from now on allowed: ${oneLine(event.grant.toolName)} ${visibleLine(event.grant.pattern)} (${event.grant.scope})`,
      );
    case 'grant.ended':
      return event.cause === 'revoked' ? note('a standing approval was revoked') : [];
    case 'diagnostic':
      return note(
        `${counted(event.count, 'line')} of the agent could not be understood: ${oneLine(event.text)}`,
      );
    case 'process.ready':
      return event.isolation === undefined ? [] : note(isolationWords[event.isolation]);
    case 'commands.changed':
    case 'process.identified':
    case 'process.closing':
    case 'message.queued':
    case 'message.edited':
    case 'message.moved':
    case 'message.removed':
    case 'message.sending':
    case 'turn.started':
    case 'interaction.raised':
      return [];
  }
}

function exitOf(event: Extract<PlainEvent, { type: 'process.exited' }>): string {
  if (event.reason !== undefined) return oneLine(event.reason);
  return event.signal === null ? `exit code ${event.code}` : event.signal;
}

/** What they do while the agent works. */
const busyWords = { queue: 'queue', interrupt: 'interrupt', server: 'do as the server is set' } as const;

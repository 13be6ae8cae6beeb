import {
  type AttachOrder,
  type FactBatch,
  isKept,
  type LeftRun,
  type RunAbout,
  type Runner,
  type StartOrder,
  type ToolAccess,
} from '../engine/ports/runner.ts';
import { workspaceCalls } from '../engine/ports/workspace.ts';
import { messageOf } from '../protocol/errors.ts';
import type { SessionId } from '../protocol/ids.ts';
import type { MachineLoad } from '../protocol/machine.ts';
import { Incoming, Outgoing, type Way } from './channel.ts';
import { type Audience, KeptRun, notThere, placeIn, withOwnPlace } from './kept-run.ts';
import {
  type Call,
  type Here,
  RoomItem,
  RoomMessage,
  type RunnerItem,
  type RunnerMessage,
  type SealedAttach,
  type SealedStart,
  type Secrets,
  spoken,
} from './message.ts';
import type { RunnerTools } from './runner-tools.ts';

// What a piece of the raw log may hold; as base64 it is a third longer.
const mostRaw = 256_000;
const mostReadings = 20;
const mostOver = 10_000;

export interface RunnerSideOptions {
  /** What runs agents on this machine. */
  readonly runner: Runner;
  /** Made anew at each start. */
  readonly id: string;
  /** Those of earlier starts on the same data directory. */
  readonly earlier: readonly string[];
  readonly version: string;
  /** What earlier starts left running, as the runner told when it was opened. */
  readonly left: readonly LeftRun[];
  /** How busy this machine is. */
  readonly load?: (() => MachineLoad | undefined) | undefined;
  /** Perhaps once, perhaps later, perhaps twice, perhaps never. */
  readonly send: (message: RunnerMessage, way: Way) => void;
  /** Does it some milliseconds later. */
  readonly inAMoment: (work: () => void) => void;
  readonly unseal: (sealed: string) => Secrets;
  /** What is remembered of runs, also over a restart. */
  readonly notes?: RunNotes | undefined;
  /** The tools of the room, and where an agent of this machine finds them; without it there are none. */
  readonly tools?:
    | { readonly calls: RunnerTools; readonly access: (sessionId: SessionId) => ToolAccess }
    | undefined;
  /** The room does not serve this runner, in a sentence. */
  readonly onRefused: (reason: string, again: boolean) => void;
  /** Something came that is not understood. */
  readonly onOdd: (what: string) => void;
}

export interface RunNotes {
  of(runId: string): RunAbout | undefined;
  set(runId: string, about: RunAbout): void;
  remove(runId: string): void;
}

/**
 * The runner's end of the link to its room. It does what it is told once, keeps what its agents said until the room has stored it, and
 * goes on with whichever room takes the connection that it offers.
 */
export class RunnerSide {
  readonly #options: RunnerSideOptions;
  readonly #runs = new Map<string, KeptRun>();
  /** Runs that are over: the runner below may still list them. */
  readonly #over = new Set<string>();
  /** Those of earlier starts. */
  readonly #found: ReadonlyMap<string, LeftRun>;
  readonly #readings = new Map<string, AsyncIterator<Uint8Array>>();
  #offered = 1;
  #connection: Connection | undefined;
  #isHeard = false;

  constructor(options: RunnerSideOptions) {
    this.#options = options;
    this.#found = new Map(options.left.map((run) => [run.runId, run]));
  }

  /** What came over the link. */
  heard(data: unknown): void {
    const read = RoomMessage.safeParse(data);
    if (!read.success) {
      this.#options.onOdd('a message of the room');
      return;
    }
    const message = read.data;
    switch (message.type) {
      case 'take':
        this.#take(message);
        break;
      case 'refused':
        if (message.runner === this.#options.id) this.#options.onRefused(message.reason, message.again);
        break;
      case 'frames':
        if (message.connection !== this.#connection?.id) return;
        this.#isHeard = true;
        this.#connection.outgoing.confirmed(message.ack);
        for (const frame of message.frames) this.#arrived(frame, this.#connection);
        break;
    }
  }

  /** Time has passed: what is overdue is sent again, and the room is told that this runner is here. */
  tick(): void {
    const connection = this.#connection;
    this.#options.send(this.#here(), 'direct');
    if (connection === undefined) return;
    connection.outgoing.tick(this.#isHeard);
    this.#isHeard = false;
    if (connection.incoming.hasUnconfirmed) this.#confirm(connection);
  }

  /** Lets go of every agent that can live on by itself. */
  detach(): void {
    for (const run of this.#runs.values()) run.detach();
    this.#options.tools?.calls.detach();
    this.#connection = undefined;
  }

  #here(): Here {
    const { id, earlier, version } = this.#options;
    const connection = this.#connection;
    const load = this.#options.load?.();
    return {
      type: 'here',
      runner: id,
      earlier,
      offers: this.#offer,
      serves: connection ? { room: connection.room, connection: connection.id } : null,
      speaks: spoken,
      version,
      ...(load && { load }),
    };
  }

  get #offer(): string {
    return `${this.#options.id}.${this.#offered}`;
  }

  #take({ room, connection: id }: { readonly room: string; readonly connection: string }): void {
    const { send } = this.#options;
    if (id === this.#offer) {
      this.#offered += 1;
      for (const run of this.#runs.values()) run.leave();
      const outgoing: Outgoing = new Outgoing((frames, way) => {
        if (this.#connection?.id !== id) return;
        send({ type: 'frames', connection: id, frames, ack: this.#connection.incoming.confirm() }, way);
      }, this.#options.inAMoment);
      const connection = { id, room, outgoing, incoming: new Incoming() };
      this.#connection = connection;
      this.#options.tools?.calls.connected({ room, say: (item) => this.#say(connection, item) });
    }
    // Taken by somebody else, or offered by an earlier start: what there is now is said instead.
    if (id === this.#connection?.id && room === this.#connection.room)
      send({ type: 'welcome', room, connection: id }, 'direct');
    else send(this.#here(), 'direct');
  }

  #arrived(frame: Parameters<Incoming['take']>[0], connection: Connection): void {
    for (const text of connection.incoming.take(frame)) {
      const item = RoomItem.safeParse(parsed(text));
      if (item.success) this.#do(item.data, connection);
      else this.#options.onOdd('an order of the room');
    }
    if (connection.incoming.isToConfirm) this.#confirm(connection);
  }

  #confirm({ id, incoming }: Connection): void {
    this.#options.send({ type: 'frames', connection: id, frames: [], ack: incoming.confirm() }, 'direct');
  }

  #do(item: RoomItem, connection: Connection): void {
    switch (item.type) {
      case 'start':
        this.#start(item.order, connection);
        break;
      case 'attach':
        this.#attach(item.order, connection);
        break;
      case 'give':
        void this.#give(item).then((outcome) => {
          const { runId, give } = item;
          this.#say(connection, { type: 'outcome', runId, give, outcome });
        });
        break;
      case 'hold':
      case 'release':
        this.#runs.get(item.runId)?.hold(item.type === 'hold');
        break;
      case 'stored': {
        const run = this.#runs.get(item.runId);
        run?.stored(item.checkpoint);
        if (run?.isOver) this.#forget(run.id);
        break;
      }
      case 'request':
        void this.#answer(item.request, item.call, connection);
        break;
      case 'lost-pieces': {
        const { runId, first, from } = item;
        const batches = (this.#runs.get(runId)?.pieces(first, from) ?? []).map(plain);
        this.#say(connection, { type: 'pieces', runId, first, from, batches });
        break;
      }
      case 'tools':
      case 'tool-progress':
      case 'tool-end':
        this.#options.tools?.calls.take(item);
        break;
    }
  }

  async #give({ runId, order }: Extract<RoomItem, { type: 'give' }>) {
    const run = this.#runs.get(runId);
    if (run !== undefined) return run.give(order);
    // A run that is not here has ended.
    return order.kind === 'end' ? ({ ok: true } as const) : notThere;
  }

  #start(sealed: SealedStart, connection: Connection): void {
    const { runId, sessionId } = sealed;
    const known = this.#runs.get(runId);
    if (known) {
      known.tellAgain(0, this.#audience(connection), 'start');
      return;
    }
    // A session has one run at a time: the end of the one before is on record with the room.
    for (const run of this.#runs.values())
      if (run.sessionId === sessionId && run.hasExited) this.#forget(run.id);
    const order = this.#opened(sealed);
    if (order === undefined) {
      this.#audience(connection).tell(exit(runId, 1, { startError: cannotUnseal }));
      return;
    }
    // Told to an earlier start of this program: it is caught up when all that the agent said since has been told.
    const isLeft = this.#found.has(runId) && !this.#over.has(runId);
    const run = new KeptRun({
      id: runId,
      sessionId,
      last: 0,
      isCaughtUp: !isLeft,
      place: undefined,
      onIdentified: this.#noted(sealed),
    });
    this.#runs.set(runId, run);
    const { runner } = this.#options;
    run.begin(
      isLeft ? runner.attach({ ...order, ...fromTheFirst }, run.heard) : runner.start(order, run.heard),
      this.#audience(connection),
    );
  }

  #attach(sealed: SealedAttach, connection: Connection): void {
    const { runId, sessionId, last } = sealed;
    const audience = this.#audience(connection);
    const known = this.#runs.get(runId);
    if (sealed.checkpoint) known?.stored(sealed.checkpoint);
    if (known?.canTellAfter(last)) {
      known.tellAgain(last, audience, 'attach');
      return;
    }
    const place = sealed.checkpoint && placeIn(sealed.checkpoint);
    const left = this.#found.get(runId);
    if (known || (left && !isKept(left, place?.mark))) {
      this.#setAside(runId, last, audience);
      return;
    }
    // An agent that runs has its environment; one that is started over is not, without it.
    const opened = this.#opened(sealed) ?? { ...sealed, env: {}, tools: this.#toolsFor(sessionId) };
    const order: AttachOrder = { ...sealed, ...opened, checkpoint: sealed.checkpoint };
    const onIdentified = this.#noted(sealed);
    const lastHere = place?.number ?? 0;
    const run = new KeptRun({ id: runId, sessionId, last: lastHere, isCaughtUp: false, place, onIdentified });
    this.#runs.set(runId, run);
    run.begin(this.#options.runner.attach(withOwnPlace(order), run.heard), audience);
  }

  /**
   * The room is older than what it has told to be stored, as after a restore: what is missing there is nowhere any more. The agent goes
   * on without a session, and says nothing; it is listed with what is left, for a person to take or to end.
   */
  #setAside(runId: string, last: number, audience: Audience): void {
    this.#runs.get(runId)?.leave();
    audience.tell(exit(runId, last + 1, { hostLost: tooOld }));
  }

  /** Remembers what a room must know that has lost this session. */
  #noted({ runId, agent, cwd, resume }: SealedStart): (agentSessionId: string) => void {
    const { notes } = this.#options;
    if (notes?.of(runId) === undefined) notes?.set(runId, { agent, cwd, agentSessionId: resume });
    return (agentSessionId) => {
      const about = notes?.of(runId);
      if (about && about.agentSessionId !== agentSessionId) notes?.set(runId, { ...about, agentSessionId });
    };
  }

  #audience(connection: Connection): Audience {
    return {
      tell: (batch) => this.#say(connection, { type: 'facts', batch: plain(batch) }),
      pass: (batch, piece) => {
        if (this.#connection !== connection) return;
        this.#options.send(
          { type: 'passing', connection: connection.id, piece, batch: plain(batch) },
          'direct',
        );
      },
    };
  }

  #say(connection: Connection, item: RunnerItem): void {
    if (this.#connection !== connection) return;
    // Nobody waits for it, and what the agent says next follows on it.
    const isAside = item.type === 'outcome' && item.outcome.ok;
    connection.outgoing.push(JSON.stringify(item), isAside ? 'soon' : 'now');
  }

  /** Undefined where it was sealed for another. */
  #opened({ sealed, ...order }: SealedStart): StartOrder | undefined {
    try {
      return { ...order, env: this.#options.unseal(sealed).env, tools: this.#toolsFor(order.sessionId) };
    } catch {
      return undefined;
    }
  }

  #toolsFor(sessionId: SessionId): ToolAccess | null {
    const { tools } = this.#options;
    return tools?.calls.isKnown ? tools.access(sessionId) : null;
  }

  async #answer(request: string, call: Call, connection: Connection): Promise<void> {
    try {
      const value = await this.#call(call);
      this.#say(connection, { type: 'reply', request, value: value === undefined ? null : value });
    } catch (error) {
      this.#say(connection, { type: 'failed', request, reason: messageOf(error) });
    }
  }

  #call(call: Call): Promise<unknown> {
    const { runner } = this.#options;
    switch (call.call) {
      case 'agents':
        return runner.agents();
      case 'agent':
        return runner.agent(call.name);
      case 'checkDirectory':
        return runner.checkDirectory(call.place);
      case 'completeDirectory':
        return runner.completeDirectory(call.query);
      case 'findFiles':
        return runner.findFiles(call.search);
      case 'policyFile':
        return runner.policyFile(call.place);
      case 'branch':
        return runner.branch(call.directory);
      case 'filesBelow':
        return runner.filesBelow(call.query);
      case 'workspace':
        return runner.workspace(call.what, workspaceCalls[call.what].request.parse(call.request) as never);
      case 'left':
        return this.#left();
      case 'end':
        return this.#end(call.runId);
      case 'readRaw':
        return this.#readRaw(call.reading, call.sessionId);
      case 'removeRaw':
        return runner.rawLog.remove(call.sessionId);
      case 'endAll':
        return this.#left().then((left) => Promise.all(left.map(({ runId }) => this.#end(runId))));
    }
  }

  async #left() {
    const below = await this.#options.runner.left();
    const others = below.filter(({ runId }) => !this.#runs.has(runId) && !this.#over.has(runId));
    return [...[...this.#runs.values()].map((run) => run.left), ...others].map((run) => {
      const about = this.#options.notes?.of(run.runId);
      return about ? { ...run, about } : run;
    });
  }

  async #end(runId: string): Promise<void> {
    const run = this.#runs.get(runId);
    if (run === undefined) {
      await this.#options.runner.end(runId);
    } else {
      await run.give({ kind: 'end', id: runId });
      run.letGo();
    }
    this.#forget(runId);
  }

  #forget(runId: string): void {
    this.#runs.delete(runId);
    this.#options.notes?.remove(runId);
    this.#over.add(runId);
    const [oldest = ''] = this.#over;
    if (this.#over.size > mostOver) this.#over.delete(oldest);
  }

  async #readRaw(reading: string, sessionId: SessionId): Promise<string | null> {
    const open = this.#readings.get(reading);
    const bytes = open ?? pieces(this.#options.runner.rawLog.read(sessionId));
    if (!open) {
      const [oldest = ''] = this.#readings.keys();
      if (this.#readings.size >= mostReadings) this.#readings.delete(oldest);
      this.#readings.set(reading, bytes);
    }
    const next = await bytes.next();
    if (next.done) this.#readings.delete(reading);
    return next.done ? null : Buffer.from(next.value).toString('base64');
  }
}

interface Connection {
  readonly id: string;
  readonly room: string;
  readonly outgoing: Outgoing;
  readonly incoming: Incoming;
}

async function* pieces(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes)
    for (let at = 0; at < chunk.length; at += mostRaw) yield chunk.subarray(at, at + mostRaw);
}

/** Without what is not there: messages say nothing of it. */
const plain = ({ mark, ...batch }: FactBatch) => ({ ...batch, ...(mark && { mark }) });

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const exit = (
  runId: string,
  first: number,
  words: { readonly startError: string } | { readonly hostLost: string },
): FactBatch => ({
  runId,
  first,
  facts: [{ type: 'exited', code: null, signal: null, stderr: [], ...words }],
});

const cannotUnseal =
  'The environment of the session was sealed for another key than that of this runner: its file is not the newest.';
const tooOld =
  'The machine was told that more of this is stored than the server knows of, as after a restore. The agent goes on there without this session: it is listed with its machine, to be taken or ended.';

/** How an agent is gone on with of which nothing is known yet. */
const fromTheFirst = { checkpoint: undefined, last: 0, ready: false, openAsks: [], inFlight: [] } as const;

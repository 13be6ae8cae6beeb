import type { z } from 'zod';
import { UnreachableError } from '../engine/ports/machine.ts';
import type {
  AttachOrder,
  Directory,
  DirectoryQuery,
  FilesBelow,
  FilesQuery,
  FilesSearch,
  LeftRun,
  OrderOutcome,
  PolicyFile,
  Report,
  Run,
  Runner,
  StartOrder,
} from '../engine/ports/runner.ts';
import type { SharedTools } from '../engine/ports/tool-calls.ts';
import {
  type WorkPlace,
  type WorkspaceCall,
  type WorkspaceReply,
  type WorkspaceRequest,
  workspaceCalls,
} from '../engine/ports/workspace.ts';
import type { DirectoryCompletion, FoundFiles } from '../protocol/directory.ts';
import { accept, type Result, refuse } from '../protocol/errors.ts';
import type { SessionId } from '../protocol/ids.ts';
import type { MachineLoad } from '../protocol/machine.ts';
import type { Agent } from '../protocol/session.ts';
import { Incoming, Outgoing, type Way } from './channel.ts';
import {
  type Call,
  type Here,
  isOfThird,
  type Reply,
  type RoomItem,
  type RoomMessage,
  RunnerItem,
  RunnerMessage,
  readBatch,
  replies,
  type Secrets,
  speaksSecond,
  speaksThird,
  spoken,
} from './message.ts';
import { type Line, type Opening, RemoteRun } from './remote-run.ts';
import { RoomTools } from './room-tools.ts';
import { parsed } from './runner-side.ts';

const silentTicks = 8;
const requestTicks = 40;
/** To look at a hundred thousand files takes its time, and whoever asks waits no longer than the machine is there. */
const workspaceTicks = 1200;
const mostExited = 200;
// A runner holds an agent of which eight times as much is not stored.
const muchUnconfirmed = 1_000_000;

export interface RoomSideOptions {
  /** Of the machine. */
  readonly name: string;
  /** Made anew at each start of the room. */
  readonly id: string;
  /** Perhaps once, perhaps later, perhaps twice, perhaps never. */
  readonly send: (message: RoomMessage, way: Way) => void;
  /** Does it some milliseconds later. */
  readonly inAMoment: (work: () => void) => void;
  /** For the eyes of the runner alone. */
  readonly seal: (secrets: Secrets) => string;
  readonly onState: (state: MachineState) => void;
  /** The machine has told how busy it is. */
  readonly onLoad?: ((load: MachineLoad) => void) | undefined;
  /** Something came that is not understood. */
  readonly onOdd: (what: string) => void;
}

/** `refused`: it is there, and cannot be served, in a sentence. */
export type MachineState =
  | { readonly is: 'reachable'; readonly version: string }
  | { readonly is: 'unreachable' }
  | { readonly is: 'refused'; readonly reason: string };

interface Request {
  readonly call: Call;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  ticks: number;
}

interface Connection {
  readonly id: string;
  readonly runner: string;
  /** Whether the runner speaks the second version. */
  readonly isSecond: boolean;
  /** Whether it speaks the third. */
  readonly isThird: boolean;
  readonly outgoing: Outgoing;
  readonly incoming: Incoming;
}

/**
 * The room's end of the link to a runner on another machine: a Runner like any other. Orders are kept until the runner has confirmed
 * them, facts come each once and in order, and whatever was under way when the runner was started anew is asked for again.
 */
export class RoomSide implements Runner {
  readonly #options: RoomSideOptions;
  readonly #runs = new Map<string, RemoteRun>();
  readonly #requests = new Map<string, Request>();
  #requestCount = 0;
  #connection: Connection | undefined;
  #here: Here | undefined;
  /** Starts of the runner that are known to have ended. */
  readonly #ended = new Set<string>();
  #inbox: RunnerItem[] = [];
  #isWorking = false;
  /** What has come since the machine was last told at once that something is stored. */
  #unconfirmedSize = 0;
  #silent = 0;
  #isHeard = false;
  #state: MachineState = { is: 'unreachable' };
  #isClosed = false;
  readonly #line: Line;
  readonly #tools: RoomTools;

  constructor(options: RoomSideOptions) {
    this.#options = options;
    this.#tools = new RoomTools(options.name, (item) => this.#say(item));
    const side = this;
    this.#line = {
      get connection() {
        return side.#connection?.id;
      },
      get canRepeat() {
        return side.#connection?.isSecond === true;
      },
      say: (item) => this.#say(item),
    };
  }

  get state(): MachineState {
    return this.#state;
  }

  /** From now on agents there may call these. */
  offerTools(tools: SharedTools): void {
    this.#tools.offer(tools);
  }

  /** What came over the link. */
  heard(data: unknown): void {
    if (this.#isClosed) return;
    const read = RunnerMessage.safeParse(data);
    if (!read.success) {
      this.#options.onOdd('a message of the runner');
      return;
    }
    const message = read.data;
    if (message.type === 'here') {
      this.#hearOf(message);
      return;
    }
    if (message.type === 'welcome') {
      if (message.room === this.#options.id) this.#connect(message.connection);
      return;
    }
    const connection = this.#connection;
    if (message.connection !== connection?.id) return;
    this.#noteLife();
    if (message.type === 'passing') {
      const batch = readBatch(message.batch);
      this.#runs.get(batch.runId)?.passed(batch, message.piece);
      return;
    }
    connection.outgoing.confirmed(message.ack);
    for (const frame of message.frames) {
      for (const text of connection.incoming.take(frame)) {
        this.#unconfirmedSize += text.length;
        const item = RunnerItem.safeParse(parsed(text));
        if (item.success) this.#inbox.push(item.data);
        else this.#options.onOdd('what the runner told');
      }
    }
    if (connection.incoming.isToConfirm) this.#confirm(connection);
    if (!this.#isWorking) this.#work();
  }

  /** Time has passed: what is overdue is sent again, and who is silent too long is unreachable. */
  tick(): void {
    this.#silent += 1;
    const connection = this.#connection;
    if (this.#silent > silentTicks && this.#state.is === 'reachable') this.#become({ is: 'unreachable' });
    for (const [id, request] of this.#requests) {
      request.ticks += 1;
      if (request.ticks <= (request.call.call === 'workspace' ? workspaceTicks : requestTicks)) continue;
      this.#requests.delete(id);
      request.reject(new UnreachableError('The machine does not answer'));
    }
    if (connection === undefined) return;
    this.#tools.tick();
    connection.outgoing.tick(this.#isHeard);
    this.#isHeard = false;
    this.#confirm(connection);
  }

  agents(): Promise<readonly Agent[]> {
    return this.#ask({ call: 'agents' });
  }

  async agent(name: string): Promise<Agent | undefined> {
    return (await this.#ask({ call: 'agent', name })) ?? undefined;
  }

  checkDirectory(place: WorkPlace): Promise<Result<Directory>> {
    return this.#ask({ call: 'checkDirectory', place }).catch(refusal);
  }

  completeDirectory(query: DirectoryQuery): Promise<Result<DirectoryCompletion>> {
    return this.#ask({ call: 'completeDirectory', query }).catch(refusal);
  }

  findFiles(search: FilesSearch): Promise<Result<FoundFiles>> {
    return this.#ask({ call: 'findFiles', search }).catch(refusal);
  }

  policyFile(place: WorkPlace): Promise<PolicyFile> {
    return this.#ask({ call: 'policyFile', place });
  }

  readonly recordsFiles = true;

  async workspace<C extends WorkspaceCall>(
    what: C,
    request: WorkspaceRequest<C>,
  ): Promise<Result<WorkspaceReply<C>>> {
    if (this.#connection?.isSecond === false) return refuse('git_not_available', tooOld);
    if (isOfThird(what) && this.#connection?.isThird === false) return refuse('editor_not_available', tooOld);
    const reply = await this.#ask({ call: 'workspace', what, request }).catch(refusal);
    if (!reply.ok) return reply;
    const schema: z.ZodType = workspaceCalls[what].reply;
    return accept(schema.parse(reply.value) as WorkspaceReply<C>);
  }

  branch(directory: string): Promise<string | null> {
    return this.#ask({ call: 'branch', directory });
  }

  async filesBelow(query: FilesQuery): Promise<FilesBelow | undefined> {
    return (await this.#ask({ call: 'filesBelow', query })) ?? undefined;
  }

  left(): Promise<readonly LeftRun[]> {
    return this.#ask({ call: 'left' });
  }

  async end(runId: string): Promise<void> {
    await this.#ask({ call: 'end', runId });
  }

  start(order: StartOrder, report: Report): Run {
    return this.#open({ type: 'start', order }, report);
  }

  attach(order: AttachOrder, report: Report): Run {
    return this.#open({ type: 'attach', order }, report);
  }

  readonly rawLog = {
    read: (sessionId: SessionId): AsyncIterable<Uint8Array> => this.#readRaw(sessionId),
    remove: async (sessionId: SessionId): Promise<void> => {
      await this.#ask({ call: 'removeRaw', sessionId });
    },
  };

  /** Ends every agent of this room there, if the machine can be reached. */
  async close(): Promise<void> {
    if (this.#state.is === 'reachable') await this.#ask({ call: 'endAll' }).catch(() => {});
    await this.detach();
  }

  async detach(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#requests.values()) reject(new UnreachableError(letGo));
    this.#requests.clear();
    const outcome: OrderOutcome = { ok: false, code: 'let-go', message: letGo, uncertain: true };
    for (const run of this.#runs.values()) run.settle(outcome);
    this.#runs.clear();
    this.#tools.close();
    this.#connection = undefined;
  }

  #hearOf(here: Here): void {
    const { id, send } = this.#options;
    const { runner, offers, serves, speaks } = here;
    if (this.#ended.has(runner)) return;
    const connection = this.#connection;
    if (serves?.room === id && serves.connection === connection?.id) {
      this.#noteLife();
      if (here.load) this.#options.onLoad?.(here.load);
      return;
    }
    if (speaks.from > spoken.to || speaks.to < spoken.from) {
      this.#refuse(here, versionReason(speaks), false);
      return;
    }
    // Said before the present connection was made, and late.
    if (connection?.runner === runner && numberOf(offers) <= numberOf(connection.id)) return;
    const isOther = connection !== undefined && connection.runner !== runner;
    if (isOther && !here.earlier.includes(connection.runner) && this.#silent <= silentTicks) {
      this.#refuse(here, 'Another runner with the same name is at work.', true);
      return;
    }
    this.#here = here;
    send({ type: 'take', room: id, connection: offers }, 'direct');
  }

  #refuse({ runner }: Here, reason: string, again: boolean): void {
    this.#options.send({ type: 'refused', runner, reason, again }, 'direct');
    if (this.#connection === undefined) this.#become({ is: 'refused', reason });
  }

  #connect(id: string): void {
    const here = this.#here;
    const before = this.#connection;
    if (here?.offers !== id || before?.id === id) return;
    const { runner, earlier, version } = here;
    for (const ended of earlier) this.#ended.add(ended);
    const outgoing: Outgoing = new Outgoing((frames, way) => {
      if (this.#connection?.id !== id) return;
      const ack = this.#connection.incoming.confirm();
      this.#options.send({ type: 'frames', connection: id, frames, ack }, way);
    }, this.#options.inAMoment);
    const isSecond = speaksSecond(here.speaks);
    this.#connection = {
      id,
      runner,
      isSecond,
      isThird: speaksThird(here.speaks),
      outgoing,
      incoming: new Incoming(),
    };
    this.#inbox = [];
    this.#silent = 0;
    this.#isHeard = true;
    this.#tools.connected(runner, isSecond);
    // Told anew also where it was reachable: it is another start of the runner.
    this.#become({ is: 'reachable', version });
    for (const [request, { call, reject }] of this.#requests) {
      if (call.call !== 'readRaw') this.#say({ type: 'request', request, call });
      else {
        this.#requests.delete(request);
        reject(new UnreachableError('The machine was started anew while this was read'));
      }
    }
    for (const run of [...this.#runs.values()]) {
      run.reconnected(before?.runner === runner);
      if (run.hasExited) run.goOn();
      else if (run.isAsOpened) {
        this.#sayOpening(run.opening);
        run.goOn();
      } else run.askForAttach();
    }
  }

  #noteLife(): void {
    this.#silent = 0;
    this.#isHeard = true;
    if (this.#state.is === 'unreachable' && this.#here)
      this.#become({ is: 'reachable', version: this.#here.version });
  }

  #become(state: MachineState): void {
    this.#state = state;
    this.#options.onState(state);
  }

  #confirm({ id, incoming }: Connection): void {
    this.#options.send({ type: 'frames', connection: id, frames: [], ack: incoming.confirm() }, 'direct');
  }

  /** In order. Whoever waits for an outcome hears of it before what came behind it. */
  #work(): void {
    this.#isWorking = true;
    for (let item = this.#inbox.shift(); item; item = this.#inbox.shift()) {
      const isHeardLater = this.#take(item);
      if (!isHeardLater) continue;
      queueMicrotask(() => this.#work());
      return;
    }
    this.#isWorking = false;
  }

  /** True where what comes next must wait a moment. */
  #take(item: RunnerItem): boolean {
    switch (item.type) {
      case 'facts': {
        const run = this.#runs.get(item.batch.runId);
        if (run === undefined) return false;
        const batch = readBatch(item.batch);
        if (batch.facts.some(({ type }) => type === 'exited') && run.settleLost()) {
          this.#inbox.unshift(item);
          return true;
        }
        run.told(batch);
        return false;
      }
      case 'outcome':
        this.#runs.get(item.runId)?.outcome(item.give, item.outcome);
        return true;
      case 'reply':
      case 'failed': {
        const request = this.#requests.get(item.request);
        this.#requests.delete(item.request);
        if (item.type === 'reply') request?.resolve(item.value);
        else request?.reject(new Error(item.reason));
        return false;
      }
      case 'pieces':
        this.#runs.get(item.runId)?.repeated(item.batches.map(readBatch), item);
        return false;
      case 'tool-calls':
      case 'tool-call':
      case 'tool-resume':
      case 'tool-over':
        this.#tools.take(item);
        return false;
    }
  }

  #open(opening: Opening, report: Report): Run {
    const { runId } = opening.order;
    let run = this.#runs.get(runId);
    if (run) run.open(opening, report);
    else run = new RemoteRun(runId, opening, report, this.#line);
    this.#runs.delete(runId);
    this.#runs.set(runId, run);
    this.#sayOpening(opening);
    this.#forgetExited();
    return run;
  }

  #sayOpening({ type, order }: Opening): void {
    // The address of the tools is one of this machine: the runner has its own.
    const { env, tools: _, ...rest } = order;
    const sealed = this.#options.seal({ env, tools: null });
    if (type === 'start') this.#say({ type, order: { ...rest, sealed } });
    else {
      const { checkpoint, ...attach } = rest as Omit<AttachOrder, 'env' | 'tools'>;
      this.#say({ type, order: { ...attach, sealed, ...(checkpoint && { checkpoint }) } });
    }
  }

  #say(item: RoomItem): void {
    // That something is stored frees space, and nobody waits for it before there is much.
    const isLater = item.type === 'stored' && this.#unconfirmedSize < muchUnconfirmed;
    if (item.type === 'stored' && !isLater) this.#unconfirmedSize = 0;
    this.#connection?.outgoing.push(JSON.stringify(item), isLater ? 'later' : 'now');
  }

  #forgetExited(): void {
    const exited = [...this.#runs.values()].filter(({ hasExited, isWaiting }) => hasExited && !isWaiting);
    for (const { id } of exited.slice(0, Math.max(0, exited.length - mostExited))) this.#runs.delete(id);
  }

  async #ask<C extends Call>(call: C): Promise<Reply<C['call']>> {
    if (this.#isClosed) throw new UnreachableError(letGo);
    this.#requestCount += 1;
    const id = String(this.#requestCount);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#requests.set(id, { call, resolve, reject, ticks: 0 });
    this.#say({ type: 'request', request: id, call });
    return replies[call.call].parse(await promise) as Reply<C['call']>;
  }

  async *#readRaw(sessionId: SessionId): AsyncGenerator<Uint8Array> {
    const reading = `${this.#options.id}.${this.#requestCount}`;
    for (;;) {
      const piece = await this.#ask({ call: 'readRaw', reading, sessionId });
      if (piece === null) return;
      yield Buffer.from(piece, 'base64');
    }
  }
}

const tooOld = 'The runner there is too old for this; update it.';
const letGo = 'The room has let go of the machine';

function refusal(error: unknown): Result<never> {
  if (error instanceof UnreachableError) return refuse('machine_unreachable');
  throw error;
}

/** Of the connections of one start of a runner, the later has the higher. */
const numberOf = (connection: string): number => Number(connection.slice(connection.lastIndexOf('.') + 1));

const versionReason = (theirs: Here['speaks']): string =>
  `The runner speaks version ${versions(theirs)} of the link and the room ${versions(spoken)}: the older one of the two must be updated.`;

const versions = ({ from, to }: Here['speaks']): string => (from === to ? `${from}` : `${from} to ${to}`);

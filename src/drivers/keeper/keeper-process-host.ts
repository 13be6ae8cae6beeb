import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type {
  AgentProcess,
  KeptProcess,
  LeftoverReport,
  ProcessExit,
  ProcessHost,
  ProcessSpec,
} from '../../engine/ports/process-host.ts';
import type { RawDirection } from '../../engine/ports/raw-log.ts';
import type { SessionId } from '../../protocol/ids.ts';
import { failedProcess } from '../process/local-process.ts';
import { ownerOf } from '../process/owner.ts';
import { type TreeEnder, treeEnder } from '../process/tree-ender.ts';
import { withoutSecrets } from '../process/without-secrets.ts';
import { closeKeeper } from './close-keeper.ts';
import { ConnectedProcess } from './connected-process.ts';
import { answerPatienceMs, dial, type KeeperLink, SilentKeeper } from './dial.ts';
import { type KeeperLaunch, launchKeeper } from './launch.ts';
import { keeperNumbers, keeperPlaces } from './places.ts';
import type { AgentStatus, FromKeeper } from './wire.ts';

const detachPatienceMs = 1_000;

export interface KeeperProcessHostOptions extends KeeperLaunch {
  readonly leftoverGraceMs?: number;
  /** How long a keeper that is there may take to answer. */
  readonly patienceMs?: number;
  readonly ender?: TreeEnder;
  /** Every byte that goes in or comes out, once, whatever the number of servers that read it. */
  onRaw?(sessionId: SessionId, direction: RawDirection, chunk: Buffer): void;
}

/** Has agents run by the keeper of the data directory, which outlives this program. It is started with the first agent. */
export class KeeperProcessHost implements ProcessHost {
  readonly #options: KeeperProcessHostOptions;
  readonly #owner: string;
  readonly #ender: TreeEnder;
  readonly #processes = new Map<string, ConnectedProcess>();
  readonly #answers = new Map<number, (message: FromKeeper | undefined) => void>();
  /** Keepers that do not speak our version: they start no more, and end with their agents. */
  readonly #older = new Set<KeeperLink>();
  readonly #starting = new Set<Promise<void>>();
  #kept = new Map<string, AgentStatus>();
  #link: KeeperLink | undefined;
  #reaching: Promise<unknown> = Promise.resolve();
  #lastNumber = 0;
  #refusal: ProcessExit | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: KeeperProcessHostOptions) {
    this.#options = options;
    this.#owner = ownerOf(options.dataDir);
    this.#ender = options.ender ?? treeEnder();
  }

  start(spec: ProcessSpec): AgentProcess {
    if (this.#refusal) return failedProcess(spec, this.#refusal);
    const started = this.#add(spec.id, spec.sessionId, 0, spec);
    if (this.#link && this.#older.size === 0) started.connect(this.#link, identityOf(this.#link));
    else this.#await(this.#startOnceReached(started));
    return started;
  }

  async kept(): Promise<readonly KeptProcess[]> {
    const link = await this.#reach({ launch: false });
    const agents = link ? await this.#statusOf(link) : [];
    this.#kept = new Map(
      agents.filter(({ id }) => !this.#processes.has(id)).map((agent) => [agent.id, agent]),
    );
    return [...this.#kept.values()].map(({ id, sessionId, running, outputEnd }) => ({
      id,
      sessionId: sessionId as SessionId,
      running,
      outputEnd,
    }));
  }

  /** Knows those that `kept` told of last. */
  attach(id: string, from: number): AgentProcess | undefined {
    const agent = this.#kept.get(id);
    if (!agent || !this.#link || this.#refusal) return undefined;
    this.#kept.delete(id);
    const attached = this.#add(id, agent.sessionId as SessionId, from);
    attached.connect(this.#link, identityOf(this.#link));
    return attached;
  }

  async endLeftovers(): Promise<LeftoverReport> {
    const link = await this.#reach({ launch: false });
    const links = [...(link ? [link] : []), ...this.#older];
    const agents = (await Promise.all(links.map((each) => this.#statusOf(each)))).flat();
    const known = new Set(agents.map(({ id }) => id));
    return this.#endMarked((id) => !known.has(id) && !this.#processes.has(id), this.#options.leftoverGraceMs);
  }

  /** `patienceMs`: how long a keeper may take to end its agents before it is killed. */
  close(patienceMs?: number): Promise<void> {
    this.#refusal ??= hostClosed;
    this.#closing ??= this.#close(patienceMs);
    return this.#closing;
  }

  detach(): Promise<void> {
    this.#refusal ??= hostClosed;
    this.#closing ??= this.#detach();
    return this.#closing;
  }

  async #close(patienceMs?: number): Promise<void> {
    // What another server has taken over is not ours to end.
    if (this.#refusal === replaced) return;
    const link = await this.#reach({ launch: false }).catch(() => undefined);
    const links = [...(link ? [link] : []), ...this.#older];
    await Promise.all(links.map((each) => closeKeeper(each, patienceMs)));
    // A keeper that had to be killed leaves its agents behind.
    await this.#endMarked(() => true, 500);
    for (const process of this.#processes.values()) {
      process.lose({ kind: 'host-lost', message: 'The keeper was closed' });
    }
    this.#processes.clear();
  }

  async #detach(): Promise<void> {
    const settled = Promise.all([...this.#processes.values()].map((process) => process.settled()));
    const asked = Promise.all(this.#starting).then(() => settled);
    await Promise.race([asked, delay(detachPatienceMs)]);
    for (const process of this.#processes.values()) process.release();
    this.#processes.clear();
    const links = [...(this.#link ? [this.#link] : []), ...this.#older];
    this.#link = undefined;
    await Promise.all(links.map((link) => link.end()));
  }

  #add(id: string, sessionId: SessionId, from: number, spec?: ProcessSpec): ConnectedProcess {
    const process = new ConnectedProcess({
      id,
      sessionId,
      from,
      ...(spec && { spec }),
      nextNumber: () => this.#nextNumber(),
      newWriteId: randomUUID,
      onRaw: (direction, chunk) => {
        if (spec?.isCommand) return;
        this.#options.onRaw?.(sessionId, direction, withoutSecrets(chunk, spec?.secrets));
      },
      onOver: () => {
        if (this.#processes.get(id) === process) this.#processes.delete(id);
      },
    });
    // Who starts a session's next process asks nothing more about the one before.
    for (const old of this.#processes.values()) {
      if (old.sessionId === sessionId && old.hasExited) this.#processes.delete(old.id);
    }
    this.#processes.set(id, process);
    return process;
  }

  #await(starting: Promise<void>): void {
    this.#starting.add(starting);
    void starting.finally(() => this.#starting.delete(starting));
  }

  async #startOnceReached(process: ConnectedProcess): Promise<void> {
    try {
      const link = await this.#reach({ launch: true });
      if (!link) throw new Error(`it ended as soon as it was started; see ${this.#log}`);
      await this.#endInOlder(process.sessionId);
      if (process.keeper === undefined) process.connect(this.#link ?? link, identityOf(this.#link ?? link));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const message = `The keeper, which runs agents, could not be started: ${why}`;
      process.lose({ kind: 'spawn-failed', code: 'failed', message });
      this.#processes.delete(process.id);
    }
  }

  /** One at a time, so that a keeper is not started twice. */
  #reach({ launch }: { launch: boolean }): Promise<KeeperLink | undefined> {
    const reached = this.#reaching.then(async () => {
      const found = this.#link ?? (await this.#find());
      if (found || !launch) return found;
      await launchKeeper(this.#options);
      return this.#find();
    });
    this.#reaching = reached.catch(() => {});
    return reached;
  }

  /** Also those that do not fit are looked for each time: what they run is no leftover. */
  async #find(): Promise<KeeperLink | undefined> {
    const places = keeperPlaces(this.#options.dataDir);
    const { version, patienceMs } = this.#options;
    const onMessage = (message: FromKeeper, body: Buffer) => this.#hear(message, body);
    const dialled = await Promise.allSettled(
      keeperNumbers(places).map((number) =>
        dial(places, number, { as: 'server', version, patienceMs, onMessage }),
      ),
    );
    const links = dialled.flatMap((result) => (result.status === 'fulfilled' ? (result.value ?? []) : []));
    const [found, ...others] = links.filter(({ fits }) => fits);
    for (const other of others) other.destroy();
    for (const link of links) if (!link.fits) this.#drain(link);
    if (found) return this.#adopt(found);
    const failed = dialled.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
    return undefined;
  }

  #adopt(link: KeeperLink): KeeperLink {
    this.#link = link;
    void link.closed.then(() => this.#loseLink(link));
    for (const process of this.#processes.values()) {
      if (process.keeper === identityOf(link)) process.connect(link, identityOf(link));
    }
    return link;
  }

  #drain(link: KeeperLink): void {
    const isKnown = [...this.#older].some((older) => identityOf(older) === identityOf(link));
    if (isKnown) {
      link.destroy();
      return;
    }
    this.#older.add(link);
    void link.closed.then(() => this.#older.delete(link));
    link.send({ t: 'drain' });
  }

  /** A conversation must not go on in two processes. */
  async #endInOlder(sessionId: string): Promise<void> {
    for (const link of this.#older) {
      const running = (await this.#statusOf(link)).filter(
        (agent) => agent.sessionId === sessionId && agent.running,
      );
      await Promise.all(running.map(({ id }) => this.#ask(link, (n) => link.send({ t: 'end', id, n }))));
    }
  }

  #hear(message: FromKeeper, body: Buffer): void {
    switch (message.t) {
      case 'replaced':
        this.#refusal ??= replaced;
        return;
      case 'hello':
        return;
      case 'status':
        this.#answers.get(message.n)?.(message);
        return;
      case 'ended':
        this.#answers.get(message.n)?.(message);
        this.#processes.get(message.id)?.hear(message, body);
        return;
      default:
        this.#processes.get(message.id)?.hear(message, body);
    }
  }

  /** The keeper is dead, or only the connection is: then all goes on where it was. */
  async #loseLink(link: KeeperLink): Promise<void> {
    if (this.#link === link) this.#link = undefined;
    if (this.#closing) return;
    const again = await this.#reachAgain();
    const lost = [...this.#processes.values()].filter(
      ({ keeper }) => keeper === identityOf(link) && (!again || keeper !== identityOf(again)),
    );
    if (this.#refusal === replaced) {
      for (const process of lost) process.lose({ kind: 'host-lost', message: replaced.message });
      return;
    }
    const ids = new Set(lost.map(({ id }) => id));
    // Their pipes are broken, but they may go on for a while: the session's next process must not meet them.
    if (ids.size > 0) await this.#endMarked((id) => ids.has(id), this.#options.leftoverGraceMs);
    const message = 'The keeper that ran the agent has ended, and the agent with it';
    for (const process of lost) {
      process.lose({ kind: 'host-lost', message });
      if (this.#processes.get(process.id) === process) this.#processes.delete(process.id);
    }
  }

  async #reachAgain(): Promise<KeeperLink | undefined> {
    while (!this.#refusal) {
      try {
        return await this.#reach({ launch: false });
      } catch (error) {
        if (!(error instanceof SilentKeeper)) return undefined;
      }
    }
    return undefined;
  }

  async #statusOf(link: KeeperLink): Promise<readonly AgentStatus[]> {
    const status = await this.#ask(link, (n) => link.send({ t: 'status', n }));
    return status?.t === 'status' ? status.agents : [];
  }

  /** Undefined when the connection ends before the answer. */
  #ask(link: KeeperLink, send: (n: number) => void): Promise<FromKeeper | undefined> {
    const n = this.#nextNumber();
    const { promise, resolve, reject } = Promise.withResolvers<FromKeeper | undefined>();
    const { folder } = keeperPlaces(this.#options.dataDir);
    const late = setTimeout(
      () => reject(new SilentKeeper(folder, link.hello.pid)),
      this.#options.patienceMs ?? answerPatienceMs,
    );
    this.#answers.set(n, resolve);
    void link.closed.then(() => resolve(undefined));
    send(n);
    return promise.finally(() => {
      clearTimeout(late);
      this.#answers.delete(n);
    });
  }

  get #log(): string {
    return keeperPlaces(this.#options.dataDir).log;
  }

  #nextNumber(): number {
    this.#lastNumber += 1;
    return this.#lastNumber;
  }

  #endMarked(picks: (id: string) => boolean, graceMs = 2_000): Promise<LeftoverReport> {
    const prefix = `${this.#owner}/`;
    const killAt = performance.now() + graceMs;
    return this.#ender.endMarked(
      (marker) => marker.startsWith(prefix) && picks(marker.slice(prefix.length)),
      () => killAt,
    );
  }
}

const identityOf = ({ hello }: KeeperLink): string => `${hello.pid}:${hello.startedAt}`;

const hostClosed = {
  kind: 'spawn-failed',
  code: 'host-closed',
  message: 'No process is started any more: the server is closing',
} as const;

const replaced = {
  kind: 'spawn-failed',
  code: 'host-closed',
  message: 'Another server has taken over the agents of this data directory',
} as const;

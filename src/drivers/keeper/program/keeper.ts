import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { SessionId } from '../../../protocol/ids.ts';
import { LocalProcessHost } from '../../process/local-process-host.ts';
import { keeperPlaces, makeFolder, type Places, removeName, socketPath } from '../places.ts';
import type { Launch, ProtocolVersion, ToKeeper } from '../wire.ts';
import { protocolVersion } from '../wire.ts';
import { claimNumber } from './claim.ts';
import { KeptAgent } from './kept-agent.ts';
import { Link } from './link.ts';
import { type SpoolLimits, spoolLimits } from './output-spool.ts';

const lastWordsMs = 500;
const mostLinks = 64;

export interface KeeperOptions {
  readonly dataDir: string;
  /** Of the Beckon that this keeper is part of. */
  readonly version: string;
  readonly limits?: Partial<SpoolLimits>;
  /** How long it stays without a server and without an agent. */
  readonly idleMs?: number;
  /** How long an ended agent is remembered after all of it was stored: its server may still be storing how it ended. */
  readonly lingerMs?: number;
  /** How often it looks whether its directory is still there. */
  readonly checkMs?: number;
  /** How long a connection may say nothing before it has said hello. */
  readonly helloMs?: number;
  readonly protocol?: ProtocolVersion;
  log?(text: string): void;
}

/** Owns agents' processes and pipes, and passes on what goes through them; nothing else. */
export class Keeper {
  /** Settles when it has ended, with all its agents. */
  readonly closed: Promise<void>;
  readonly #options: Required<Omit<KeeperOptions, 'limits'>>;
  readonly #limits: SpoolLimits;
  readonly #places: Places;
  readonly #host: LocalProcessHost;
  readonly #agents = new Map<string, KeptAgent>();
  readonly #links = new Set<Link>();
  readonly #memory = { bytes: 0 };
  readonly #startedAt = Date.now();
  readonly #settleClosed: () => void;
  readonly #named = Promise.withResolvers<boolean>();
  #listener: Server | undefined;
  #number: number | undefined;
  #server: Link | undefined;
  #spools = 0;
  #isDraining = false;
  #idle: NodeJS.Timeout | undefined;
  #check: NodeJS.Timeout | undefined;
  #closing: Promise<void> | undefined;

  constructor({ limits, ...options }: KeeperOptions) {
    this.#options = {
      idleMs: 30_000,
      lingerMs: 10_000,
      checkMs: 5_000,
      helloMs: 5_000,
      protocol: protocolVersion,
      log: () => {},
      ...options,
    };
    this.#limits = { ...spoolLimits, ...limits };
    this.#places = keeperPlaces(options.dataDir);
    this.#host = new LocalProcessHost({
      dataDir: options.dataDir,
      onRaw: (_session, direction, chunk, id) => {
        if (direction === 'err') this.#agents.get(id)?.stderr(chunk);
      },
    });
    ({ promise: this.closed, resolve: this.#settleClosed } = Promise.withResolvers<void>());
  }

  /** False when another keeper of this version has the directory; then this one is closed. */
  async open(): Promise<boolean> {
    makeFolder(this.#places);
    this.#listener = createServer((socket) => this.#accept(socket));
    this.#number = await claimNumber(this.#listener, this.#places);
    this.#named.resolve(this.#number !== undefined);
    if (this.#number === undefined) {
      await this.close();
      return false;
    }
    rmSync(this.#places.spools, { recursive: true, force: true });
    mkdirSync(this.#places.spools, { recursive: true, mode: 0o700 });
    this.#check = setInterval(() => this.#endIfUnreachable(), this.#options.checkMs);
    this.#watchIdleness();
    return true;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    clearTimeout(this.#idle);
    clearInterval(this.#check);
    // First of all, and not again: later another keeper may have the number.
    if (this.#number !== undefined) removeName(this.#places, this.#number);
    await this.#host.close();
    if (this.#server) {
      const toldAll = Promise.all([...this.#agents.values()].map(({ told }) => told));
      await Promise.race([toldAll, delay(lastWordsMs)]);
    }
    this.#listener?.close();
    await Promise.all([...this.#links].map((link) => link.end()));
    for (const agent of this.#agents.values()) agent.forget();
    this.#settleClosed();
  }

  #accept(socket: Socket): void {
    // Who comes may be the next server: room is made for it.
    if (this.#links.size >= mostLinks) [...this.#links].find((link) => link !== this.#server)?.destroy();
    this.#links.add(
      new Link(socket, {
        helloMs: this.#options.helloMs,
        onMessage: (link, message, body) => this.#hear(link, message, body),
        onClose: (link) => this.#forgetLink(link),
        log: this.#options.log,
      }),
    );
  }

  #forgetLink(link: Link): void {
    this.#links.delete(link);
    if (this.#server !== link) return;
    this.#server = undefined;
    for (const agent of this.#agents.values()) agent.detach();
    this.#watchIdleness();
  }

  #hear(link: Link, message: ToKeeper, body: Buffer): void {
    if (link.role === undefined) {
      if (message.t !== 'hello') throw new Error(`"${message.t}" came before "hello"`);
      this.#greet(link, message);
      return;
    }
    switch (message.t) {
      case 'hello':
        return;
      case 'status':
        link.tell({
          t: 'status',
          n: message.n,
          memory: process.memoryUsage.rss(),
          draining: this.#isDraining,
          agents: [...this.#agents.values()].map((agent) => agent.status()),
        });
        return;
      case 'drain':
        this.#drain();
        return;
      case 'end':
        void this.#end(link, message);
        return;
      case 'close':
        void this.close();
        return;
      default:
        if (link !== this.#server) throw new Error(`"${message.t}" is for the server alone`);
        this.#obey(link, message, body);
    }
  }

  #obey(link: Link, message: ForServer, body: Buffer): void {
    const agent = this.#agents.get(message.id);
    switch (message.t) {
      case 'start':
        if (agent) agent.attach(link, 0, message.to);
        else this.#start(link, message, body);
        return;
      case 'write':
        void this.#write(link, agent, message, body);
        return;
      case 'attach':
        if (agent) agent.attach(link, message.from, message.to);
        else link.tell({ t: 'unknown-process', id: message.id });
        return;
      case 'want':
        agent?.want(message.to);
        return;
      case 'close-input':
        agent?.process.closeInput();
        return;
      case 'stored':
        agent?.stored(message.offset);
        return;
      case 'release':
        agent?.release(message.seen);
        return;
    }
  }

  #greet(link: Link, { as, protocol }: Extract<ToKeeper, { t: 'hello' }>): void {
    // Who comes too late finds nobody, and starts another.
    if (this.#closing) {
      link.destroy();
      return;
    }
    const isServer = as === 'server' && protocol.major === this.#options.protocol.major;
    link.welcome(isServer ? 'server' : 'visitor');
    const sayHello = () =>
      link.tell({
        t: 'hello',
        protocol: this.#options.protocol,
        version: this.#options.version,
        pid: process.pid,
        startedAt: this.#startedAt,
      });
    if (!isServer) {
      sayHello();
      return;
    }
    // A keeper that may yet give way to another must not take agents in.
    void this.#named.promise.then((isNamed) => {
      if (!isNamed) return link.destroy();
      this.#takeServer(link);
      return sayHello();
    });
  }

  /** The data directory's lock lets one server live at a time: who comes later is right. */
  #takeServer(link: Link): void {
    const earlier = this.#server;
    this.#server = link;
    this.#watchIdleness();
    for (const agent of this.#agents.values()) agent.detach();
    if (!earlier) return;
    earlier.tell({ t: 'replaced' });
    void earlier.end();
  }

  #start(link: Link, { id, sessionId, to }: Extract<ToKeeper, { t: 'start' }>, body: Buffer): void {
    if (this.#isDraining) {
      const message = 'The keeper is being replaced and starts no more';
      link.tell({ t: 'exited', id, exit: { kind: 'spawn-failed', code: 'host-closed', message } });
      link.tell({ t: 'output-end', id });
      return;
    }
    // Who starts a session's next process knows how the one before ended.
    for (const old of this.#agents.values()) {
      if (old.sessionId === sessionId && !old.isRunning) this.#forget(old);
    }
    const launch = JSON.parse(body.toString('utf8')) as Launch;
    this.#spools += 1;
    const agent = new KeptAgent({
      process: this.#host.start({ ...launch, id, sessionId: sessionId as SessionId }),
      sessionId,
      spoolPath: join(this.#places.spools, `${process.pid}-${this.#spools}`),
      limits: this.#limits,
      memory: this.#memory,
      onOver: (over) => this.#forgetLater(over),
    });
    this.#agents.set(id, agent);
    this.#watchIdleness();
    agent.attach(link, 0, to);
  }

  async #write(
    link: Link,
    agent: KeptAgent | undefined,
    { id, n, writeId }: Extract<ToKeeper, { t: 'write' }>,
    body: Buffer,
  ): Promise<void> {
    const outcome = (await agent?.process.write(body, writeId)) ?? gone;
    link.tell({ t: 'wrote', id, n, outcome });
  }

  async #end(link: Link, { id, n, graceMs }: Extract<ToKeeper, { t: 'end' }>): Promise<void> {
    await this.#agents.get(id)?.process.end(graceMs === undefined ? {} : { graceMs });
    link.tell({ t: 'ended', id, n });
  }

  #drain(): void {
    this.#isDraining = true;
    for (const agent of this.#agents.values()) agent.process.closeInput();
    this.#watchIdleness();
  }

  #forgetLater(agent: KeptAgent): void {
    setTimeout(() => {
      if (agent.isOver) this.#forget(agent);
    }, this.#options.lingerMs).unref();
  }

  #forget(agent: KeptAgent): void {
    if (!this.#agents.delete(agent.id)) return;
    agent.forget();
    this.#watchIdleness();
  }

  #watchIdleness(): void {
    if (this.#server || this.#hasAgents()) {
      clearTimeout(this.#idle);
      this.#idle = undefined;
      return;
    }
    this.#idle ??= setTimeout(() => void this.close(), this.#options.idleMs);
  }

  /** Of a keeper that is drained nobody will collect what has ended. */
  #hasAgents(): boolean {
    if (!this.#isDraining) return this.#agents.size > 0;
    return [...this.#agents.values()].some(({ isRunning }) => isRunning);
  }

  /** Without its name no server can find it, and its agents could never be ended. */
  #endIfUnreachable(): void {
    if (this.#isDraining) this.#watchIdleness();
    if (process.platform === 'win32' || this.#number === undefined) return;
    if (existsSync(socketPath(this.#places, this.#number))) return;
    if (this.#server && existsSync(dirname(this.#places.folder))) return;
    this.#options.log('The data directory is gone: ending');
    void this.close();
  }
}

type ForServer = Exclude<ToKeeper, { t: 'hello' | 'status' | 'drain' | 'end' | 'close' }>;

/** A server that asks again after the connection broke may have had its write made before. */
const gone = { ok: false, code: 'gone', message: 'The process is gone', uncertain: true } as const;

import { accept, messageOf } from '../protocol/errors.ts';
import type { Event, NewEvent } from '../protocol/event.ts';
import type { SessionId } from '../protocol/ids.ts';
import type { Actor } from '../protocol/interaction.ts';
import type { AgreedSetup, SetupRun } from '../protocol/worktree.ts';
import type { GrantBook } from './grant-book.ts';
import type { LiveSession } from './live-session.ts';
import type { Machines } from './machines.ts';
import type { Logger } from './ports/logger.ts';

export interface SetupDeskOptions {
  /** Writes the log of all sessions. */
  readonly book: Pick<GrantBook, 'record'>;
  readonly machines: Pick<Machines, 'ask' | 'away'>;
  readonly logger: Logger;
}

/** Programs of projects that make a fresh worktree ready: which contents people have agreed to, and that each runs before the agent. */
export class SetupDesk {
  readonly #options: SetupDeskOptions;
  /** What people have agreed to, the oldest first. */
  readonly #agreed = new Map<string, Agreement>();
  readonly #running = new Map<SessionId, Promise<boolean>>();

  constructor(options: SetupDeskOptions) {
    this.#options = options;
  }

  /** What a start found on record. */
  load(events: Iterable<Event>): void {
    for (const event of events) this.#fold(event, event.at);
  }

  isAgreed(machine: string | null, repository: string, digest: string): boolean {
    return this.#agreed.has(keyOf(repositoryOn(machine, repository), digest));
  }

  async agree(machine: string | null, repository: string, digest: string, by: Actor): Promise<void> {
    const where = repositoryOn(machine, repository);
    await this.#options.book.record(
      () =>
        this.#agreed.has(keyOf(where, digest))
          ? []
          : [{ type: 'setup.agreed', repository: where, digest, by }],
      (event, at) => this.#fold(event, at),
    );
  }

  /** The last one first. */
  get agreed(): readonly AgreedSetup[] {
    return [...this.#agreed.values()]
      .map(({ repository, ...rest }) => ({ ...placeOf(repository), ...rest }))
      .reverse();
  }

  /** It runs nowhere from now on, also where it was waited for; one that runs is let run. False where nobody has agreed to it. */
  async revoke(machine: string | null, repository: string, digest: string, by: Actor): Promise<boolean> {
    const where = repositoryOn(machine, repository);
    const revoked = await this.#options.book.record(
      () =>
        this.#agreed.has(keyOf(where, digest))
          ? [{ type: 'setup.revoked', repository: where, digest, by }]
          : [],
      (event, at) => this.#fold(event, at),
    );
    return revoked.length > 0;
  }

  /** Runs what is to run before the session's agent; at once where nothing is. False where its machine went away meanwhile. */
  ready(session: LiveSession): Promise<boolean> {
    const underWay = this.#running.get(session.id);
    if (underWay !== undefined) return underWay;
    const { worktree, setupDigest } = session.state;
    if (worktree?.setup === undefined || setupDigest === undefined || !toRun.has(worktree.setup))
      return Promise.resolve(true);
    const running = this.#run(session, worktree.id, setupDigest).finally(() =>
      this.#running.delete(session.id),
    );
    this.#running.set(session.id, running);
    return running;
  }

  /** The session has ended: so has what was to make it ready. */
  end({ state, id }: LiveSession): void {
    const { worktree, machine } = state;
    if (worktree === undefined || !this.#running.has(id)) return;
    void this.#options.machines
      .ask(machine, (runner) => runner.workspace('endSetup', { worktreeId: worktree.id }))
      .catch(() => {});
  }

  async #run({ id, state, writer }: LiveSession, worktreeId: string, digest: string): Promise<boolean> {
    const { machines, logger } = this.#options;
    if (!this.isAgreed(state.machine, state.worktree?.repository ?? '', digest)) {
      await writer.insist({ type: 'note-setup', setup: 'unagreed' });
      return true;
    }
    await writer.insist({ type: 'note-setup', setup: 'running' });
    const run = await machines
      .ask(state.machine, (runner) => runner.workspace('runSetup', { worktreeId, sessionId: id, digest }))
      .catch((error: unknown) => {
        logger.error({ sessionId: id, reason: messageOf(error) }, 'A setup could not be run');
        return accept(failed(messageOf(error)));
      });
    // How it ended is asked again when the machine is back.
    if (!run.ok && (run.refusal.code === 'machine_unreachable' || run.refusal.code === 'shutting_down'))
      return false;
    const { outcome: setup, ...rest } = run.ok ? run.value : failed(run.refusal.message);
    await writer.insist({ type: 'note-setup', setup, ...rest });
    return true;
  }

  #fold(event: Event | NewEvent, agreedAt: string): void {
    if (event.type !== 'setup.agreed' && event.type !== 'setup.revoked') return;
    const { repository, digest, by } = event;
    if (event.type === 'setup.revoked') this.#agreed.delete(keyOf(repository, digest));
    else this.#agreed.set(keyOf(repository, digest), { repository, digest, by, agreedAt });
  }
}

type Agreement = Omit<AgreedSetup, 'machine'>;

const toRun: ReadonlySet<string> = new Set(['waiting', 'running', 'ended']);

const failed = (output: string): SetupRun => ({ outcome: 'failed', code: null, output, durationMs: 0 });

/** The same path on another machine is another repository. */
const repositoryOn = (machine: string | null, repository: string): string =>
  machine === null ? repository : `${machine}:${repository}`;

/** A path begins with no name and a colon, but for a drive's letter, after which comes no slash. */
function placeOf(named: string): Pick<AgreedSetup, 'machine' | 'repository'> {
  const [, machine, repository] = /^([^/\\:]+):(\/.*)$/s.exec(named) ?? [];
  return machine === undefined || repository === undefined ? { repository: named } : { machine, repository };
}

const keyOf = (repository: string, digest: string): string => `${digest} ${repository}`;

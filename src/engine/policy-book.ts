import { canonical } from '../model/canonical.ts';
import {
  type DirectoryRecord,
  directoryPolicyId,
  directoryPolicyView,
  foldDirectory,
  isDirectoryEvent,
  isTooMuch,
  rulesOf,
  unseenRules,
} from '../model/directory-policy.ts';
import { type HeldRule, heldRule, heldRules, noPolicy } from '../model/policy.ts';
import { policyDigest } from '../model/policy-digest.ts';
import type { Place } from '../model/rule-match.ts';
import { accept, messageOf, type Result, refuse } from '../protocol/errors.ts';
import type { Event, NewEvent } from '../protocol/event.ts';
import type { RuleId } from '../protocol/ids.ts';
import type { Actor } from '../protocol/interaction.ts';
import type { DirectoryPolicy, PolicyInForce, StandingRule } from '../protocol/policy.ts';
import type { Policy } from '../protocol/rule.ts';
import type { GrantBook } from './grant-book.ts';
import type { Logger } from './ports/logger.ts';
import type { PolicyFile } from './ports/runner.ts';

export interface PolicyBookOptions {
  /** Writes the log of all sessions. */
  readonly book: Pick<GrantBook, 'record'>;
  /** What the file there says; undefined where the machine cannot be asked right now. */
  readonly policyFile: (place: Place) => Promise<PolicyFile | undefined>;
  readonly logger: Logger;
}

/** The rules that hold in more than one session: single ones, the policy, and what directories bring along. */
export class PolicyBook {
  readonly #options: PolicyBookOptions;
  #rules: readonly StandingRule[] = [];
  #policy: Omit<PolicyInForce, 'digest'> = { policy: noPolicy, setAt: null, by: null };
  readonly #directories = new Map<string, DirectoryRecord>();
  /** Made once for each version: every ask needs them. */
  readonly #rulesThere = new Map<string, readonly HeldRule[]>();
  #rulesEverywhere: readonly HeldRule[] = [];
  readonly #seen = new Set<string>();
  /** Where nobody could look yet: there may be rules. */
  readonly #unseen = new Set<string>();
  readonly #looking = new Map<string, Promise<void>>();

  constructor(options: PolicyBookOptions) {
    this.#options = options;
  }

  /** What a start found on record. */
  load(events: Iterable<Event>): void {
    for (const event of events) this.#fold(event, event.at);
  }

  rulesIn(place: Place): readonly HeldRule[] {
    const directory = directoryOf(place);
    const there = this.#unseen.has(directory) ? unseenRules : this.#rulesThere.get(directory);
    return there === undefined ? this.#rulesEverywhere : [...this.#rulesEverywhere, ...there];
  }

  /** Those that stand alone, for all sessions. */
  get rules(): readonly StandingRule[] {
    return this.#rules;
  }

  get policy(): PolicyInForce {
    return { ...this.#policy, digest: policyDigest(canonical(this.#policy.policy)) };
  }

  /** Those with something to show. */
  directories(): readonly DirectoryPolicy[] {
    return [...this.#directories.values()]
      .map(directoryPolicyView)
      .filter(({ text, problem, held }) => text !== null || problem !== undefined || held.length > 0);
  }

  directoryPolicy(place: Place): DirectoryPolicy | null {
    const id = directoryPolicyId(directoryOf(place));
    return this.directories().find((policy) => policy.id === id) ?? null;
  }

  async add(rule: StandingRule): Promise<void> {
    await this.#record(() => [{ type: 'rule.created', rule }]);
  }

  /** False when there is none of this id. */
  async remove(ruleId: RuleId, by: Actor): Promise<boolean> {
    const ended = await this.#record(() =>
      this.#rules.some(({ id }) => id === ruleId)
        ? [{ type: 'rule.ended', ruleId, cause: 'removed', by }]
        : [],
    );
    return ended.length > 0;
  }

  async set(policy: Policy, replaces: string | undefined, by: Actor): Promise<Result<PolicyInForce>> {
    const stored = await this.#record(() =>
      replaces === undefined || replaces === this.policy.digest ? [{ type: 'policy.set', policy, by }] : [],
    );
    if (stored.length > 0) return accept(this.policy);
    return refuse('policy_changed', 'Another policy has been set since this one was begun.');
  }

  /** The content that was shown must be what is there when this is recorded. */
  async trust(id: string, digest: string | null, by: Actor): Promise<Result<DirectoryPolicy>> {
    const directory = this.#directoryOf(id);
    if (directory === undefined) return refuse('policy_not_found');
    const stored = await this.#record(() => {
      const known = this.#directories.get(directory);
      const isShown = known !== undefined && known.digest === digest && known.policy !== null;
      return isShown ? [{ type: 'policy.trusted', directory, digest, by }] : [];
    });
    return stored.length > 0 ? this.#view(directory) : refuse('policy_changed');
  }

  async distrust(id: string, by: Actor): Promise<Result<DirectoryPolicy>> {
    const directory = this.#directoryOf(id);
    if (directory === undefined) return refuse('policy_not_found');
    await this.#record(() =>
      this.#directories.get(directory)?.trusted == null ? [] : [{ type: 'policy.distrusted', directory, by }],
    );
    return this.#view(directory);
  }

  /** Reads the file of a directory, and records what has changed. Never rejects: a start must not hang on it. */
  look(place: Place): Promise<void> {
    const directory = directoryOf(place);
    const underWay = this.#looking.get(directory);
    if (underWay !== undefined) return underWay;
    const looking = this.#look(directory, place)
      .catch((error: unknown) => {
        this.#options.logger.error(
          { directory, reason: messageOf(error) },
          'What a policy says was not stored',
        );
      })
      .finally(() => this.#looking.delete(directory));
    this.#looking.set(directory, looking);
    return looking;
  }

  async #look(directory: string, place: Place): Promise<void> {
    const read = await this.#options.policyFile(place).catch((error: unknown) => {
      this.#options.logger.warn({ directory, reason: messageOf(error) }, 'A directory cannot be looked at');
      return undefined;
    });
    if (read === undefined) {
      // That a machine is silent says nothing of what is there: what is known holds. Where nothing is, there may be rules.
      if (!this.#seen.has(directory)) this.#unseen.add(directory);
      return;
    }
    this.#seen.add(directory);
    this.#unseen.delete(directory);
    await this.#record(() => {
      const known = this.#directories.get(directory);
      const isKnown =
        known === undefined
          ? read.content === null && read.problem === undefined
          : known.content === read.content && (read.content !== null || known.problem === read.problem);
      if (isKnown || (known !== undefined && isTooMuch(known))) return [];
      return [{ type: 'policy.found', directory, ...read }];
    });
  }

  #directoryOf(id: string): string | undefined {
    return [...this.#directories.keys()].find((directory) => directoryPolicyId(directory) === id);
  }

  #view(directory: string): Result<DirectoryPolicy> {
    const known = this.#directories.get(directory);
    return known === undefined ? refuse('policy_not_found') : accept(directoryPolicyView(known));
  }

  /** What is decided on holds before the next is decided on. */
  async #record(decide: () => readonly NewEvent[]): Promise<readonly NewEvent[]> {
    return this.#options.book.record(decide, (event, at) => this.#fold(event, at));
  }

  #fold(event: Event | NewEvent, at: string): void {
    if (event.type === 'rule.created') this.#rules = [...this.#rules, event.rule];
    if (event.type === 'rule.ended') this.#rules = this.#rules.filter(({ id }) => id !== event.ruleId);
    if (event.type === 'policy.set') this.#policy = { policy: event.policy, setAt: at, by: event.by };
    if (isDirectoryEvent(event)) {
      const record = foldDirectory(this.#directories.get(event.directory), event, at);
      if (record === undefined) return;
      this.#seen.add(event.directory);
      this.#directories.set(event.directory, record);
      this.#rulesThere.set(event.directory, rulesOf(record));
    }
    this.#rulesEverywhere = [...this.#rules.map(heldRule), ...heldRules(this.#policy.policy, 'policy')];
  }
}

/** Where a session works. The same path on another machine is another directory: what is trusted here is not trusted there. */
const directoryOf = ({ machine, cwd, realCwd }: Place): string =>
  machine == null ? (realCwd ?? cwd) : `${machine}:${realCwd ?? cwd}`;

import { heldRule, type Standing } from '../../model/policy.ts';
import { replay } from '../../model/replay.ts';
import { accept, refuse } from '../../protocol/errors.ts';
import type { EventOf } from '../../protocol/event.ts';
import { RuleId } from '../../protocol/ids.ts';
import type { PolicyTrial, StandingRule } from '../../protocol/policy.ts';
import type { Policy } from '../../protocol/rule.ts';
import { done, type Handlers, type Room } from './room.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

export const ruleHandlers = {
  listRules({ registry, policies }) {
    const own = registry.grantHolders().flatMap(({ rules = [] }) => rules);
    const body = {
      rules: [...policies.rules, ...own],
      policy: policies.policy,
      directories: [...policies.directories()],
    };
    return accept({ status: 200, body });
  },

  async addRule({ registry, policies, clock, ids }, { sessionId, ...given }, { actor: by }) {
    const made = { ...given, id: RuleId.parse(ids.rule()), createdAt: clock.now(), by };
    if (sessionId === undefined) {
      const rule: StandingRule = { ...made, scope: 'always' };
      await policies.add(rule);
      return accept({ status: 201, body: { rule } });
    }
    const session = registry.find(sessionId);
    if (!session.ok) return session;
    const rule: StandingRule = { ...made, scope: 'session', sessionId: session.value.id };
    const added = await session.value.writer.command({ type: 'add-rule', rule });
    return added.ok ? accept({ status: 201, body: { rule } }) : added;
  },

  async removeRule({ registry, policies }, input, { actor: by }) {
    const ruleId = RuleId.parse(input.ruleId);
    if (await policies.remove(ruleId, by)) return done;
    const holder = registry.grantHolders().find(({ rules = [] }) => rules.some(({ id }) => id === ruleId));
    const owner = holder && registry.get(holder.session.id);
    if (owner === undefined) return refuse('rule_not_found');
    const removed = await owner.writer.command({ type: 'remove-rule', ruleId, by });
    return removed.ok ? done : removed;
  },

  async setPolicy({ policies }, { policy, replaces }, { actor: by }) {
    const set = await policies.set(policy, replaces, by);
    return set.ok ? accept({ status: 200, body: { policy: set.value } }) : set;
  },

  async tryPolicy(room, { policy, days = 30 }) {
    return accept({ status: 200, body: await tryOn(room, policy, days) });
  },

  async getSessionPolicy({ policies }, { session }) {
    await policies.look(session.state);
    return accept({ status: 200, body: { policy: policies.directoryPolicy(session.state) } });
  },

  async trustPolicy({ policies }, { policyId, digest }, { actor: by }) {
    const trusted = await policies.trust(policyId, digest, by);
    return trusted.ok ? accept({ status: 200, body: { policy: trusted.value } }) : trusted;
  },

  async distrustPolicy({ policies }, { policyId }, { actor: by }) {
    const distrusted = await policies.distrust(policyId, by);
    return distrusted.ok ? accept({ status: 200, body: { policy: distrusted.value } }) : distrusted;
  },
} satisfies Partial<Handlers>;

/** A page of the log at a time: in between, others have their turn. */
async function tryOn(room: Room, policy: Policy, days: number): Promise<PolicyTrial> {
  const { log, clock } = room;
  const at = clock.now();
  const from = new Date(Date.parse(at) - days * DAY_MS).toISOString();
  const trial = replay(policy, at);
  const standingIn = standingBySession(room);
  /** Decisions come before their asks: the newest are read first. */
  const decisions = new Map<string, EventOf<'interaction.decided'>>();
  for (let before: number | undefined; ; ) {
    const page = log.decisionsSince(from, before);
    for (const { stream, event } of page.events) {
      const key = `${stream} ${event.interactionId}`;
      if (event.type === 'interaction.decided') {
        decisions.set(key, event);
        continue;
      }
      const decided = decisions.get(key);
      decisions.delete(key);
      const standing = standingIn(stream);
      if (standing !== undefined)
        trial.take({ sessionId: stream, at: event.at, requested: event, decided, ...standing });
    }
    if (page.before === undefined) return { days, from, ...trial.result() };
    before = page.before;
    await nextTurn();
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** What holds in a session beside the policy that is tried; undefined for one that is gone. */
function standingBySession(
  room: Room,
): (sessionId: string) => Pick<Standing, 'rules' | 'grants' | 'place'> | undefined {
  const { registry, policies, book } = room;
  const holders = new Map(registry.grantHolders().map((holder) => [String(holder.session.id), holder]));
  const known = new Map<string, Pick<Standing, 'rules' | 'grants' | 'place'> | undefined>();
  const make = (sessionId: string) => {
    const session = registry.view(sessionId);
    if (session === undefined) return undefined;
    const { machine = null, cwd, realCwd = cwd } = session;
    const place = { machine, cwd, realCwd };
    const holder = holders.get(sessionId);
    const others = policies.rulesIn(place).filter(({ source }) => source !== 'policy');
    return {
      place,
      rules: [...(holder?.rules ?? []).map(heldRule), ...others],
      grants: [...(holder?.grants ?? []), ...book.grants],
    };
  };
  return (sessionId) => {
    if (!known.has(sessionId)) known.set(sessionId, make(sessionId));
    return known.get(sessionId);
  };
}

import type { SendCommand } from '../../model/command.ts';
import type { Changed } from '../../model/find-session.ts';
import { messageParts } from '../../model/pasted-text.ts';
import { sessionView } from '../../model/views.ts';
import type { CreateSession, PatchSession } from '../../protocol/command.ts';
import { accept, type Result, refuse } from '../../protocol/errors.ts';
import { MessageId, SessionId } from '../../protocol/ids.ts';
import type { Actor } from '../../protocol/interaction.ts';
import type { Agent, Capabilities } from '../../protocol/session.ts';
import type { LiveSession } from '../live-session.ts';
import { type Machines, placeOn } from '../machines.ts';
import type { Overview } from '../ports/control-room.ts';
import type { Ids } from '../ports/ids.ts';
import type { Order, Runner } from '../ports/runner.ts';
import type { SessionRegistry } from '../session-registry.ts';
import { done, type Handlers, type Room } from './room.ts';
import { discardWorktree, worktreeFor } from './worktrees.ts';

export const sessionHandlers = {
  async listAgents({ machines }, { machine }) {
    const on = machines.find(machine);
    if (!on.ok) return on;
    const agents = await machines.ask(on.value, async (runner) => accept(await runner.agents()));
    return agents.ok ? accept({ status: 200, body: { agents: agents.value } }) : agents;
  },

  async createSession(room, input, { actor }) {
    if (room.lifetime.closing) return refuse('shutting_down');
    const prompt = firstMessage(input);
    if (prompt !== undefined && prompt.trim() === '') {
      return refuse('blank_message', 'The prompt is blank.', { field: 'prompt' });
    }
    const { machines } = room;
    const on = machines.find(input.machine);
    if (!on.ok) return on;
    const machine = on.value;
    const agent = await machines.ask(machine, (runner) => chooseAgent(runner, input.agent));
    if (!agent.ok) return agent;
    const { capabilities, defaultPermissionMode } = agent.value;
    const { permissionMode = defaultPermissionMode } = input;
    const unknownMode = checkMode(capabilities, permissionMode, input.permissionMode === undefined);
    if (unknownMode !== undefined) return unknownMode;
    const { cwd: usualCwd, roots } = placeOn(machine, room.settings);
    const place = { cwd: input.cwd ?? usualCwd, realCwd: null, roots };
    const directory = await machines.ask(machine, (runner) => runner.checkDirectory(place));
    if (!directory.ok) return directory;
    const { path, real, name } = directory.value;
    const title = input.title ?? titleFrom(prompt) ?? name;
    const by = actor;
    const given =
      input.worktree === undefined
        ? undefined
        : await worktreeFor(room, { input, machine, place: { ...place, cwd: path }, title, by });
    if (given?.ok === false) return given;
    const { worktree, cwd = path } = given?.value ?? {};
    const realCwd = worktree === undefined ? real : cwd;
    const sessionId = SessionId.parse(room.ids.session());
    if (input.env !== undefined) await room.env.save(sessionId, input.env);
    const created = await room.registry.create(
      {
        type: 'session.created',
        sessionId,
        agent: agent.value.name,
        ...(machine !== null && { machine }),
        cwd,
        realCwd,
        ...(worktree !== undefined && { worktree }),
        title,
        key: input.key ?? null,
        permissionMode: permissionMode ?? null,
        model: input.model ?? null,
        labels: input.labels ?? [],
        askTimeout: input.askTimeout ?? room.settings.askTimeout,
        ...(input.whileBusy && { whileBusy: input.whileBusy }),
        ephemeral: input.ephemeral ?? false,
        closeAfterTurn: input.closeAfterTurn ?? false,
        named: input.title !== undefined,
        by,
      },
      prompt === undefined ? undefined : sending(prompt, room, actor),
    );
    if (!created.ok) {
      if (input.env !== undefined) await room.env.remove(sessionId);
      if (worktree !== undefined) await discardWorktree(room, machine, worktree.id);
      return created;
    }
    return accept({ status: 201, body: { session: sessionView(created.value.state) } });
  },

  /** Without a limit all of them, newest first; else a page, those whose state changed last first. */
  listSessions({ registry, machines }, { limit, before, machine, ...words }) {
    const on = machine === undefined ? accept(undefined) : machines.find(machine);
    if (!on.ok) return on;
    const filter = { ...words, machine: on.value };
    if (limit === undefined && before === undefined) {
      const sessions = registry.list(filter);
      return accept({ status: 200, body: { sessions, total: sessions.length } });
    }
    const after = before === undefined ? undefined : placeIn(before);
    if (after === null) return refuse('invalid_value', 'This is no cursor of a list.', { field: 'before' });
    const page = registry.page(filter, limit ?? PAGE, after);
    return accept({ status: 200, body: { ...pageView(page), total: registry.count(filter) } });
  },

  async listBranches({ registry, machines }, { sessions }) {
    const known = sessions.flatMap((name) => registry.view(name) ?? []);
    const told = known.map(async ({ id, cwd, machine = null }) => {
      const branch = await machines.ask(machine, async (runner) => accept(await runner.branch(cwd)));
      return branch.ok ? [[id, branch.value] as const] : [];
    });
    return accept({ status: 200, body: { branches: Object.fromEntries((await Promise.all(told)).flat()) } });
  },

  getSession(_room, { session: { state } }) {
    return accept({ status: 200, body: { session: sessionView(state), commands: state.commands } });
  },

  async patchSession({ ids, machines }, { session, ...changes }, caller) {
    // One after the other: what the agent has agreed to is recorded, also if it refuses the next.
    for (const change of [changeMode, changeModel, changeOption, changeWords]) {
      const changed = await change({ session, ids, machines }, changes, caller.actor);
      if (!changed.ok) return changed;
    }
    return accept({ status: 200, body: { session: sessionView(session.state) } });
  },

  async deleteSession({ remove, machines }, { session }) {
    const { life, process: run, machine } = session.state;
    if (life !== 'stopped') return refuse('session_not_stopped');
    // Its agent has yet to be told to end.
    if (run !== null && machine !== null && machines.away(machine)) return machines.unreachable(machine);
    const removed = await remove(session);
    return removed.ok ? done : removed;
  },

  async interrupt(_room, { session }, { actor: by }) {
    await session.effects.turnBegun();
    const interrupted = await session.writer.command({ type: 'interrupt', by });
    return interrupted.ok ? done : interrupted;
  },

  /** Answers when the agent and everything it started is gone, or its machine cannot be told for the time being. */
  async stop({ machines }, { session }, { actor: by }) {
    const steps = await session.writer.command({ type: 'stop', by });
    if (!steps.ok) return steps;
    const { machine } = session.state;
    await machines.whileThere(machine, session.effects.closed);
    const isToldLater = session.state.process !== null && machines.away(machine) !== undefined;
    const stopped = steps.value.find(({ event }) => event.type === 'session.stopped')?.event;
    const returned = stopped?.type === 'session.stopped' ? stopped.returned : [];
    const body = { status: 'ok', returned, ...(isToldLater && { unreachable: machine ?? '' }) } as const;
    return accept({ status: 200, body });
  },

  async resume(room, { session }, { actor: by }) {
    const { machines } = room;
    const { agent: name, cwd, realCwd, machine } = session.state;
    const agent = await machines.ask(machine, (runner) => chooseAgent(runner, name));
    if (!agent.ok) return agent;
    const place = { cwd, realCwd, roots: placeOn(machine, room.settings).roots };
    const directory = await machines.ask(machine, (runner) => runner.checkDirectory(place));
    if (!directory.ok) return directory;
    await machines.whileThere(machine, session.effects.closed);
    if (machine !== null && machines.away(machine)) return machines.unreachable(machine);
    const reopened = await session.writer.command({ type: 'reopen', by });
    if (!reopened.ok) return reopened;
    return accept({ status: 200, body: { status: 'ok', session: sessionView(session.state) } });
  },
} satisfies Partial<Handlers>;

const sending = (text: string, { ids }: Room, by: Actor): SendCommand => ({
  type: 'send',
  messageId: MessageId.parse(ids.message()),
  text,
  images: [],
  disposition: 'auto',
  replace: false,
  clientMessageId: null,
  by,
});

/** A session can be started from a task: its title and description are the first message then. */
function firstMessage({ prompt, title, description }: CreateSession): string | undefined {
  if (prompt !== undefined || description === undefined) return prompt;
  return title === undefined ? description : `${title}\n\n${description}`;
}

function titleFrom(prompt: string | undefined): string | undefined {
  const { typed, pasted } = messageParts(prompt ?? '');
  const line = [typed, ...pasted]
    .join('\n')
    .split('\n')
    .map((one) => one.trim())
    .find((one) => one !== '');
  if (line === undefined) return undefined;
  const characters = [...line];
  return characters.length <= 80 ? line : `${characters.slice(0, 79).join('')}…`;
}

/** An agent that is started in a mode it does not know ends at once; better said before. */
function checkMode(capabilities: Capabilities | null, mode: string | undefined, isDefault = false) {
  const modes = capabilities?.permissionModes ?? [];
  if (mode === undefined || modes.length === 0 || modes.includes(mode)) return undefined;
  const origin = isDefault ? ", which the server's configuration gives it" : '';
  return refuse('invalid_value', `The agent has no permission mode "${mode}"${origin}.`, {
    field: 'permissionMode',
    modes,
  });
}

export async function chooseAgent(runner: Runner, name: string | undefined): Promise<Result<Agent>> {
  if (name === undefined) {
    const claude = await runner.agent('claude');
    if (claude?.available === true) return accept(claude);
  }
  const agent = await runner.agent(name ?? 'demo');
  if (agent === undefined) {
    return refuse('agent_unknown', `There is no agent called "${name ?? 'demo'}".`, {
      field: 'agent',
      agents: (await runner.agents()).map((known) => known.name),
    });
  }
  return agent.available
    ? accept(agent)
    : refuse('agent_not_available', agent.reason ?? `${agent.label} cannot be started here.`, {
        agent: agent.name,
      });
}

const PAGE = 50;
/** So many of the sessions at rest are told of to whoever connects. */
const RECENT = 200;

/** What everyone is told who connects: all that are at work or pinned, and those that changed last and are not archived. */
export function recentSessions(
  registry: SessionRegistry,
): Pick<Overview, 'sessions' | 'total' | 'archived' | 'nextCursor'> {
  const page = registry.page({ archived: false }, RECENT);
  const sessions = new Map(page.sessions.map((session) => [session.id, session]));
  for (const session of registry.page({ pinned: true }, RECENT).sessions) sessions.set(session.id, session);
  for (const { id, state } of registry.inMemory()) sessions.set(id, sessionView(state));
  return {
    ...pageView(page),
    sessions: [...sessions.values()],
    total: registry.count(),
    archived: registry.count({ archived: true }),
  };
}

const pageView = ({ sessions, hasMore }: ReturnType<SessionRegistry['page']>) => {
  const last = sessions.at(-1);
  return { sessions, ...(hasMore && last !== undefined && { nextCursor: `${last.since},${last.id}` }) };
};

/** Null for what is no cursor of ours. */
function placeIn(cursor: string): Changed | null {
  const [, since, id] = /^([^,]{20,40}),(.{1,100})$/.exec(cursor) ?? [];
  return since === undefined || id === undefined ? null : { since, id };
}

type Change = (
  what: { readonly session: LiveSession; readonly ids: Ids; readonly machines: Machines },
  input: PatchSession,
  by: Actor,
) => Promise<Result<unknown>>;
const unchanged: Result<undefined> = accept(undefined);

const changeMode: Change = async ({ session, ids, machines }, { permissionMode }, by) => {
  if (permissionMode === undefined || permissionMode === session.state.permissionMode) return unchanged;
  const unknownMode = !isListening(session)
    ? checkMode(session.state.capabilities, permissionMode)
    : undefined;
  if (unknownMode !== undefined) return unknownMode;
  const agreed = await confirmed(session, machines, { kind: 'mode', id: ids.order(), mode: permissionMode });
  return agreed.ok ? session.writer.command({ type: 'set-mode', permissionMode, by }) : agreed;
};

const changeModel: Change = async ({ session, ids, machines }, { model }, by) => {
  if (model === undefined || model === session.state.model) return unchanged;
  const agreed = await confirmed(session, machines, { kind: 'model', id: ids.order(), model });
  return agreed.ok ? session.writer.command({ type: 'set-model', model, by }) : agreed;
};

const changeOption: Change = async ({ session, ids, machines }, { option }, by) => {
  if (option === undefined) return unchanged;
  const { id, value } = option;
  const known = session.state.options.find((each) => each.id === id);
  if (!known?.choices.some((choice) => choice.value === value)) {
    return refuse('invalid_value', 'The agent has no such option, or not with this value.', {
      field: 'option',
      options: session.state.options.map((each) => each.id),
    });
  }
  if (value === known.value) return unchanged;
  // It is the run's own: one that is started later begins with the agent's.
  if (!isListening(session)) return refuse('agent_not_running');
  const agreed = await confirmed(session, machines, { kind: 'option', id: ids.order(), option: id, value });
  return agreed.ok ? session.writer.command({ type: 'set-option', id, value, by }) : agreed;
};

const changeWords: Change = async (
  { session },
  { permissionMode: _, model: __, option: ___, ...words },
  by,
) => {
  const given = Object.entries(words).filter(([, value]) => value !== undefined);
  return given.length === 0
    ? unchanged
    : session.writer.command({ type: 'change', ...Object.fromEntries(given), by });
};

/** Whether there is an agent at the other end that is not on its way out. */
const isListening = ({ effects, state }: LiveSession): boolean =>
  effects.run !== null && state.process !== null && state.process.phase !== 'closing';

/** Mode and model are the agent's to change: it must confirm before the change is shown. An agent that sleeps is told when it starts. */
async function confirmed(
  session: LiveSession,
  machines: Machines,
  order: Extract<Order, { kind: 'mode' | 'model' | 'option' }>,
): Promise<Result<undefined>> {
  if (!isListening(session)) return unchanged;
  if (session.state.held !== null) {
    return refuse(
      'too_many_asks',
      'The agent is held, and could not confirm it: answer some of what it asks.',
    );
  }
  const { machine } = session.state;
  if (machine !== null && machines.away(machine)) return machines.unreachable(machine);
  const told = await machines.whileThere(machine, Promise.resolve(session.effects.run?.give(order)));
  // Whether the agent heard of it will be told by the agent itself.
  if (told === undefined) return machines.unreachable(machine ?? '');
  const outcome = told.value;
  if (outcome === undefined || outcome.ok) return unchanged;
  const { code, message } = outcome;
  return refuse(
    'agent_refused',
    code === 'refused' ? message : 'The agent ended before it could confirm the change.',
  );
}

import { accept, type Result, refuse } from '../../protocol/errors.ts';
import { SessionId } from '../../protocol/ids.ts';
import type { Actor, Ask } from '../../protocol/interaction.ts';
import { localMachine, type Machine, type UnclaimedRun } from '../../protocol/machine.ts';
import type { LiveSession } from '../live-session.ts';
import { placeOn } from '../machines.ts';
import type { EventLog } from '../ports/event-log.ts';
import type { LeftRun, RunAbout } from '../ports/runner.ts';
import { done, type Handlers, type Room } from './room.ts';

export const machineHandlers = {
  async listMachines(room) {
    const names = [localMachine, ...room.machines.names()];
    return accept({
      status: 200,
      body: { machines: await Promise.all(names.map((name) => describe(room, name))) },
    });
  },

  /** An act of a person: that a machine is silent ends nothing by itself. */
  async giveUpMachine({ machines, registry }, { machine: name }, { actor: by }) {
    const on = machines.find(name);
    if (!on.ok) return on;
    const machine = on.value;
    if (machine === null || machines.away(machine) === undefined) return refuse('machine_reachable');
    const open = registry.list({ machine, status: ['starting', 'idle', 'running', 'waiting', 'asleep'] });
    let asks = 0;
    for (const { id } of open) {
      const session = registry.get(id);
      if (session === undefined) continue;
      // It came back in between: what is left goes on.
      if (machines.away(machine) === undefined) return refuse('machine_reachable');
      const before = session.state.counts.open;
      const ended = await session.writer.command({ type: 'give-up', machine, by });
      if (!ended.ok) return ended;
      asks += before - session.state.counts.open;
    }
    machines.forget(machine);
    return accept({ status: 200, body: { status: 'ok', sessions: open.length, asks } });
  },

  async endRun(room, { machine: name, runId }) {
    const found = unclaimedRun(room, name, runId);
    if (!found.ok) return found;
    const { machine } = found.value;
    const ended = await room.machines.ask(machine, async (runner) => accept(await runner.end(runId)));
    if (!ended.ok) return ended;
    room.machines.forgetRun(machine, runId);
    return done;
  },

  async takeRun(room, { machine: name, runId }, { actor: by }) {
    const { registry, machines, log } = room;
    const found = unclaimedRun(room, name, runId);
    if (!found.ok) return found;
    const { machine, run } = found.value;
    const session = registry.get(run.sessionId);
    const conversation = session === undefined ? conversationOf(run) : undefined;
    if (conversation !== undefined) return goOnAnew(room, { machine, runId, by }, conversation);
    if (session !== undefined && canResume(session, machine, run)) {
      // First: two agents with one conversation would each have half of it.
      const ended = await machines.ask(machine, async (runner) => accept(await runner.end(runId)));
      if (!ended.ok) return ended;
      machines.forgetRun(machine, runId);
      return done;
    }
    if (session === undefined || !canTake(session, machine, runId)) {
      return refuse('run_not_found', 'No session of this server can go on with this run; it can be ended.');
    }
    const asks = (session.state.leftRun?.asks ?? []).flatMap((id) => askIn(log, session.id, id));
    const taken = await session.writer.command({ type: 'take-run', processId: runId, asks, by });
    if (!taken.ok) return taken;
    machines.forgetRun(machine, runId);
    return done;
  },
} satisfies Partial<Handlers>;

async function describe(room: Room, name: string): Promise<Machine> {
  const { machines, registry } = room;
  const machine = name === localMachine ? null : name;
  const agents = await machines.ask(machine, async (runner) => accept(await runner.agents()));
  const { version, load } = machines.condition(name);
  const open = registry.list({ machine, status: ['starting', 'idle', 'running', 'waiting', 'asleep'] });
  return {
    ...machines.state(name),
    ...(version !== undefined && { version }),
    ...(load !== undefined && { load }),
    agents: agents.ok ? [...agents.value] : [],
    sessions: open.length,
    pending: open.reduce((sum, { pendingCount }) => sum + pendingCount, 0),
    unclaimed: machines.unclaimed(name).map((run) => unclaimedView(room, name, run)),
  };
}

function unclaimedView({ registry }: Room, machine: string, run: LeftRun): UnclaimedRun {
  const { runId, sessionId, isRunning, about } = run;
  const session = registry.get(sessionId);
  const isAnew = session === undefined && conversationOf(run) !== undefined;
  const isResumed = session !== undefined && canResume(session, machine, run);
  return {
    runId,
    sessionId,
    ...(session !== undefined && { title: session.state.title }),
    isRunning,
    canBeTaken: isAnew || isResumed || (session !== undefined && canTake(session, machine, runId)),
    ...((isAnew || isResumed) && { endsWhenTaken: true }),
    ...(session === undefined && about && { agent: about.agent, cwd: about.cwd }),
  };
}

type Conversation = Required<RunAbout> & { readonly agentSessionId: string };

/** What a session can be made of for a run whose own is not known here. */
function conversationOf({ about }: LeftRun): Conversation | undefined {
  const { agentSessionId = null } = about ?? {};
  return about && agentSessionId !== null ? { ...about, agentSessionId } : undefined;
}

/**
 * What the agent said and was told before is not on record, so nobody can go on with the run itself: it is ended, and a new session
 * goes on with the conversation that the agent has kept.
 */
async function goOnAnew(
  { machines, registry, ids, settings }: Room,
  { machine, runId, by }: { readonly machine: string; readonly runId: string; readonly by: Actor },
  { agent: name, cwd: given, agentSessionId }: Conversation,
) {
  const agent = await machines.ask(machine, async (runner) => accept(await runner.agent(name)));
  if (!agent.ok) return agent;
  if (agent.value?.available !== true)
    return refuse('agent_not_available', `"${name}" cannot be started there; the run can be ended.`);
  const place = { cwd: given, realCwd: null, roots: placeOn(machine, settings).roots };
  const directory = await machines.ask(machine, (runner) => runner.checkDirectory(place));
  if (!directory.ok) return directory;
  // First: two agents with one conversation would each have half of it.
  const ended = await machines.ask(machine, async (runner) => accept(await runner.end(runId)));
  if (!ended.ok) return ended;
  machines.forgetRun(machine, runId);
  const { path: cwd, real: realCwd, name: title } = directory.value;
  const created = await registry.create({
    type: 'session.created',
    sessionId: SessionId.parse(ids.session()),
    agent: agent.value.name,
    machine,
    cwd,
    realCwd,
    title,
    key: null,
    permissionMode: agent.value.defaultPermissionMode ?? null,
    model: null,
    labels: [],
    askTimeout: settings.askTimeout,
    ephemeral: false,
    closeAfterTurn: false,
    named: false,
    agentSessionId,
    by,
  });
  return created.ok ? done : created;
}

/** Its own session, on this very machine. */
const canTake = ({ state }: LiveSession, machine: string, runId: string): boolean =>
  state.machine === machine && state.process === null && state.leftRun?.run.id === runId;

/** Its own session can go on with the conversation, but not with the run: what that said in between is on record nowhere. */
const canResume = ({ state }: LiveSession, machine: string, run: LeftRun): boolean =>
  state.machine === machine &&
  state.process === null &&
  state.life === 'open' &&
  state.leftRun?.run.id !== run.runId &&
  state.agentSessionId !== null &&
  state.agentSessionId === conversationOf(run)?.agentSessionId;

function unclaimedRun(
  { machines }: Room,
  name: string,
  runId: string,
): Result<{ readonly machine: string; readonly run: LeftRun }> {
  const on = machines.find(name);
  if (!on.ok) return on;
  const machine = on.value;
  const run = machine === null ? undefined : machines.unclaimed(machine).find((one) => one.runId === runId);
  if (machine === null || run === undefined) return refuse('run_not_found');
  return machines.away(machine) === undefined ? accept({ machine, run }) : machines.unreachable(machine);
}

function askIn(log: EventLog, sessionId: SessionId, interactionId: string): Ask[] {
  return log
    .findByReference(sessionId, interactionId)
    .flatMap((event) => (event.type === 'interaction.requested' ? [event.ask] : []));
}

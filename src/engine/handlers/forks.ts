import { sessionView } from '../../model/views.ts';
import { accept, type Result, refuse } from '../../protocol/errors.ts';
import { SessionId } from '../../protocol/ids.ts';
import type { Capabilities, ForkPoint } from '../../protocol/session.ts';
import type { LiveSession } from '../live-session.ts';
import { placeOn } from '../machines.ts';
import type { EventLog } from '../ports/event-log.ts';
import type { Handlers } from './room.ts';
import { chooseAgent } from './sessions.ts';

export const forkHandlers = {
  /** The fork works in the same directory, with the same agent and settings; the original stays as it is. */
  async forkSession(room, { session, turnId, title }, { actor: by }) {
    if (room.lifetime.closing) return refuse('shutting_down');
    const { machines, env } = room;
    const { state } = session;
    const { machine, cwd: directory, realCwd: real } = state;
    const agent = await machines.ask(machine, (runner) => chooseAgent(runner, state.agent));
    if (!agent.ok) return agent;
    const point = forkPointOf(room.log, session, turnId, state.capabilities ?? agent.value.capabilities);
    if (!point.ok) return point;
    const place = { cwd: directory, realCwd: real, roots: placeOn(machine, room.settings).roots };
    const checked = await machines.ask(machine, (runner) => runner.checkDirectory(place));
    if (!checked.ok) return checked;
    const sessionId = SessionId.parse(room.ids.session());
    const variables = env.load(session.id);
    const hasVariables = Object.keys(variables).length > 0;
    if (hasVariables) await env.save(sessionId, variables);
    const created = await room.registry.create({
      type: 'session.created',
      sessionId,
      agent: state.agent,
      ...(machine !== null && { machine }),
      cwd: checked.value.path,
      realCwd: checked.value.real,
      title: title ?? `${state.title} (fork)`.slice(0, 500),
      key: null,
      permissionMode: state.permissionMode,
      model: state.model,
      labels: [...state.labels],
      askTimeout: state.askTimeout,
      ...(state.whileBusy !== null && { whileBusy: state.whileBusy }),
      ephemeral: state.ephemeral,
      closeAfterTurn: false,
      named: true,
      forkedFrom: { sessionId: session.id, turnId: turnId ?? null },
      ...(point.value !== null && { forkPoint: point.value }),
      by,
    });
    if (!created.ok) {
      if (hasVariables) await env.remove(sessionId);
      return created;
    }
    const told = await session.writer.command({ type: 'fork', into: sessionId, turnId: turnId ?? null, by });
    if (!told.ok) return told;
    return accept({ status: 201, body: { session: sessionView(created.value.state) } });
  },
} satisfies Partial<Handlers>;

/** Null where the agent's conversation was still empty: then the fork begins as any new session. */
function forkPointOf(
  log: EventLog,
  { id, state }: LiveSession,
  turnId: string | undefined,
  { fork }: Capabilities,
): Result<ForkPoint | null> {
  if (turnId === undefined) {
    if (state.turn !== null) return refuse('turn_running', 'A turn runs in this session; wait for its end.');
    const { agentSessionId, forkPoint = null } = state;
    if (agentSessionId === null) return accept(forkPoint);
    return fork === undefined ? cannotFork() : accept({ agentSessionId, at: null });
  }
  const started = log.findByReference(id, turnId).find((event) => event.type === 'turn.started');
  if (started?.type !== 'turn.started') return refuse('turn_not_found');
  const { follows } = started;
  if (follows === null) return accept(null);
  if (follows === undefined) return fork === undefined ? cannotFork() : notKnown(fork);
  return fork === 'at-turn' || (fork === 'whole' && follows.at === null) ? accept(follows) : cannotFork();
}

const cannotFork = () => refuse('cannot_fork', 'This agent cannot fork a conversation.');

const notKnown = (fork: NonNullable<Capabilities['fork']>) =>
  refuse(
    'cannot_fork',
    fork === 'whole'
      ? 'This agent can fork a conversation only as a whole, not before an earlier turn.'
      : 'It is not known where the conversation of the agent stood before this turn.',
  );

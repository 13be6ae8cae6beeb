import { pickScene } from './scenes/index.ts';
import { type Session, sendLine } from './session.ts';
import { Stage } from './stage.ts';
import { toolNames } from './tools/index.ts';
import { echoMessage, Interrupted, lifecycle, type StopCause, type Turn } from './turn.ts';
import { sendResult } from './turn-result.ts';
import { VERSION } from './version.ts';

export type Script = (stage: Stage) => Promise<void>;

/** Plays a turn from its first line to its result. Says whether it ended as an error. */
export async function playTurn(turn: Turn, script?: Script): Promise<boolean> {
  await open(turn);
  const stopped = await perform(turn, script);
  await turn.echo();
  if (stopped === 'interrupt' || stopped === 'deny') await tellInterrupted(turn);
  for (const message of turn.steered) await lifecycle(turn.session, message, 'completed');
  turn.session.memory.countTurn();
  turn.session.memory.save();
  await sendResult(turn, stopped, script !== undefined);
  const state = stopped === undefined && turn.apiError === undefined ? 'completed' : 'cancelled';
  for (const message of turn.messages) await lifecycle(turn.session, message, state);
  return stopped === 'interrupt' || stopped === 'deny' || turn.apiError !== undefined;
}

async function open(turn: Turn): Promise<void> {
  const { session, messages } = turn;
  for (const message of messages) {
    session.memory.hear(message.text);
    await lifecycle(session, message, 'started');
  }
  // Saved before anything is done: a crash in the first turn must leave a conversation to resume.
  session.memory.save();
  for (const message of messages.slice(0, -1)) await echoMessage(session, message);
  await session.mcp.ready();
  await sendLine(session, {
    ...initLine(session),
    ...(turn.uuids.length > 0 && { user_message_uuids: turn.uuids }),
  });
}

async function perform(turn: Turn, script: Script | undefined): Promise<StopCause | undefined> {
  const stages: Stage[] = [];
  try {
    if (script !== undefined) await playOn(stages, new Stage(turn), script);
    for (const message of turn.messages) {
      const scene = pickScene(message, turn.session.permission.mode);
      await playOn(stages, new Stage(turn, { message }), (stage) => scene.play(stage));
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    await Promise.allSettled(turn.calls);
    await stages.at(-1)?.cutOff();
    return error.by;
  }
}

async function playOn(stages: Stage[], stage: Stage, script: Script): Promise<void> {
  stages.push(stage);
  await script(stage);
  await stage.end();
}

async function tellInterrupted(turn: Turn): Promise<void> {
  const text = turn.stoppedInTools
    ? '[Request interrupted by user for tool use]'
    : '[Request interrupted by user]';
  const message = { role: 'user', content: [{ type: 'text', text }] };
  await sendLine(turn.session, { type: 'user', message, parent_tool_use_id: null });
}

function initLine(session: Session): Record<string, unknown> {
  return {
    type: 'system',
    subtype: 'init',
    cwd: session.cwd,
    tools: [...toolNames, ...session.mcp.toolNames()],
    mcp_servers: session.mcp.status(),
    model: session.model,
    permissionMode: session.permission.mode,
    slash_commands: [],
    apiKeySource: 'none',
    claude_code_version: VERSION,
    output_style: 'default',
    agents: ['general-purpose'],
    skills: [],
    plugins: [],
    capabilities: ['interrupt_receipt_v1', 'msg_lifecycle_v1'],
  };
}

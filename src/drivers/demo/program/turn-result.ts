import type { JsonObject } from './json.ts';
import { usageOf } from './reply.ts';
import { type Session, sendLine } from './session.ts';
import type { StopCause, Turn } from './turn.ts';

const USD_PER_INPUT_TOKEN = 4e-6;
const USD_PER_OUTPUT_TOKEN = 20e-6;

/** Usage is of the turn; cost and model usage are running totals of the process. */
export async function sendResult(
  turn: Turn,
  stopped: StopCause | undefined,
  spontaneous: boolean,
): Promise<void> {
  const { session } = turn;
  const durationMs = Math.round(performance.now() - turn.startedAt);
  const totals = session.totals;
  totals.inputTokens += turn.inputTokens;
  totals.outputTokens += turn.outputTokens;
  totals.costUsd += turn.inputTokens * USD_PER_INPUT_TOKEN + turn.outputTokens * USD_PER_OUTPUT_TOKEN;
  totals.apiMs += durationMs;
  // Keys in no telling order, as on the real wire: a reader that looks for a leading "type" is wrong.
  await sendLine(session, {
    duration_api_ms: totals.apiMs,
    stop_reason: turn.stopReason,
    total_cost_usd: totals.costUsd,
    usage: usageOf(turn.inputTokens, turn.outputTokens),
    modelUsage: modelUsage(session),
    permission_denials: turn.denials,
    terminal_reason: terminalReason(turn, stopped),
    ...outcome(turn, stopped),
    type: 'result',
    num_turns: turn.replies,
    duration_ms: durationMs,
    ...(spontaneous && { origin: { kind: 'task-notification', producer: 'session-task' } }),
    ...(turn.uuids.length > 0 && { user_message_uuid: turn.uuids[0], user_message_uuids: turn.uuids }),
    result_index: totals.results++,
  });
}

function outcome(turn: Turn, stopped: StopCause | undefined): JsonObject {
  switch (stopped) {
    case undefined:
      if (turn.apiError !== undefined) {
        return { subtype: 'success', is_error: true, result: turn.apiError, api_error_status: 400 };
      }
      return { subtype: 'success', is_error: false, result: turn.lastText };
    // A turn that made way for a message sent "now" counts as a success without words.
    case 'now':
      return { subtype: 'success', is_error: false, result: '' };
    case 'interrupt':
    case 'deny':
      return {
        subtype: 'error_during_execution',
        is_error: true,
        errors: [`[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=${turn.stopReason}`],
      };
  }
}

function terminalReason(turn: Turn, stopped: StopCause | undefined): string {
  if (stopped === undefined) return turn.apiError === undefined ? 'completed' : 'api_error';
  return turn.stoppedInTools ? 'aborted_tools' : 'aborted_streaming';
}

function modelUsage(session: Session): JsonObject {
  const { inputTokens, outputTokens, costUsd } = session.totals;
  return {
    [session.model]: {
      inputTokens,
      outputTokens,
      cacheReadInputTokens: 0,
      cacheCreationInputTokens: 0,
      webSearchRequests: 0,
      costUSD: costUsd,
      contextWindow: 200_000,
    },
  };
}

import type { NewEventOf } from '../../../protocol/event.ts';
import type { AgentFact } from '../../../runner/ports/agent-driver.ts';
import { type JsonObject, numberAt, objectAt, textAt } from '../../fields.ts';

export function notice(
  level: NewEventOf<'agent.notice'>['level'],
  code: string,
  text: string,
): readonly AgentFact[] {
  return text === '' ? [] : [{ type: 'said', event: { type: 'agent.notice', level, code, text } }];
}

export function retrying(line: JsonObject): readonly AgentFact[] {
  const status = numberAt(line, 'error_status');
  const attempt = numberAt(line, 'attempt');
  const most = numberAt(line, 'max_retries');
  const which = attempt === undefined ? '' : ` (try ${attempt}${most === undefined ? '' : ` of ${most}`})`;
  const why = status === undefined ? '' : `: status ${status}`;
  return notice('warning', 'model-retry', `The model did not answer${why}. Trying again${which}`);
}

export function compacted(line: JsonObject): readonly AgentFact[] {
  const before = numberAt(objectAt(line, 'compact_metadata') ?? {}, 'pre_tokens');
  const size = before === undefined ? '' : ` It had ${before} tokens.`;
  return notice('info', 'compacted', `The agent has summarised the conversation so far.${size}`);
}

export function translateRateLimit(line: JsonObject): readonly AgentFact[] {
  const info = objectAt(line, 'rate_limit_info') ?? {};
  const resetsAt = new Date((numberAt(info, 'resetsAt') ?? Number.NaN) * 1000);
  const until = Number.isNaN(resetsAt.getTime()) ? '' : ` until ${resetsAt.toISOString()}`;
  switch (textAt(info, 'status')) {
    case 'rejected':
      return notice('error', 'rate-limit', `The account's limit is reached${until}`);
    case 'allowed_warning':
      return notice('warning', 'rate-limit', `The account's limit is near${until}`);
    default:
      return [];
  }
}

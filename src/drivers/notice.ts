import type { NewEventOf } from '../protocol/event.ts';
import type { AgentFact } from '../runner/ports/agent-driver.ts';

/** Something the person should know, beside what the agent itself says. */
export function notice(level: NewEventOf<'agent.notice'>['level'], code: string, text: string): AgentFact {
  return { type: 'said', event: { type: 'agent.notice', level, code, text } };
}

export function begunAnew(reason: string): AgentFact {
  const text = `The agent could not go on with the earlier conversation and starts without it: ${reason}`;
  return notice('warning', 'resume-refused', text);
}

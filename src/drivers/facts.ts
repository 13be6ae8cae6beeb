import type { NewEventOf } from '../protocol/event.ts';
import type { AgentFact } from '../runner/ports/agent-driver.ts';
import { isObject, type JsonObject, textAt } from './fields.ts';

/** Something the person should know, beside what the agent itself says. */
export function notice(level: NewEventOf<'agent.notice'>['level'], code: string, text: string): AgentFact {
  return { type: 'said', event: { type: 'agent.notice', level, code, text } };
}

export function begunAnew(reason: string): AgentFact {
  const text = `The agent could not go on with the earlier conversation and starts without it: ${reason}`;
  return notice('warning', 'resume-refused', text);
}

/** A fork is made for what was said before: without that it is not started. */
export const notForked = (reason: string): string => `The conversation could not be forked: ${reason}`;

/** What an agent said of its settings last; it is told once, however often the agent says it. */
interface Known {
  permissionMode: string | null;
  model: string | null;
}

export function modeChange(known: Known, permissionMode: string | undefined): readonly AgentFact[] {
  if (permissionMode === undefined || permissionMode === known.permissionMode) return [];
  known.permissionMode = permissionMode;
  return [{ type: 'mode-changed', permissionMode }];
}

export function modelChange(known: Known, model: string | undefined): readonly AgentFact[] {
  if (model === undefined || model === known.model) return [];
  known.model = model;
  return [{ type: 'model-changed', model }];
}

/** The whole list of an agent's commands, as it tells it; nothing where it tells none. */
export function commandsChange(
  told: unknown,
  hintOf: (command: JsonObject) => string | undefined,
): readonly AgentFact[] {
  if (!Array.isArray(told)) return [];
  const commands = told.filter(isObject).flatMap((command) => {
    const name = textAt(command, 'name')?.replace(/^\//, '');
    if (name === undefined) return [];
    const hint = hintOf(command);
    const description = textAt(command, 'description') ?? '';
    return [{ name, description, ...(hint === undefined ? {} : { hint }) }];
  });
  return [{ type: 'commands-changed', commands }];
}

const sampleLength = 300;
const mostKinds = 100;

/** Each kind of thing we do not know is told once; a newer agent would otherwise repeat it with everything it says. */
export function unknownOnce(
  { reported }: { readonly reported: Set<string> },
  kind: string,
  given: JsonObject,
): readonly AgentFact[] {
  if (reported.has(kind) || reported.size >= mostKinds) return [];
  reported.add(kind);
  const sample = JSON.stringify(given).slice(0, sampleLength);
  return [{ type: 'diagnostic', code: 'unknown-input', text: `The agent sent an unknown ${kind}`, sample }];
}

import type { AgentFact } from '../../../engine/ports/agent-driver.ts';
import type { JsonObject } from '../../fields.ts';
import type { Memory } from './memory.ts';

const sampleLength = 300;
const mostKinds = 100;

/** Each kind of thing we do not know is told once; a newer agent would otherwise repeat it with every update. */
export function unknownOnce(memory: Memory, kind: string, given: JsonObject): readonly AgentFact[] {
  if (memory.reported.has(kind) || memory.reported.size >= mostKinds) return [];
  memory.reported.add(kind);
  const sample = JSON.stringify(given).slice(0, sampleLength);
  return [{ type: 'diagnostic', code: 'unknown-input', text: `The agent sent an unknown ${kind}`, sample }];
}

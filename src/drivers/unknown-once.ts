import type { AgentFact } from '../runner/ports/agent-driver.ts';
import type { JsonObject } from './fields.ts';

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

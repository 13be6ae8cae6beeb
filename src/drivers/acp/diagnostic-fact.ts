import type { AgentFact } from '../../engine/ports/agent-driver.ts';
import type { PeerDiagnostic } from '../claude/diagnostics.ts';

/** What could not be understood, in words. */
export function diagnosticFact({ kind, count, bytes, sample, error }: PeerDiagnostic): AgentFact {
  const why = error instanceof Error ? `: ${error.message}` : '';
  const text = `${diagnosticWords[kind]} (${bytes} bytes)${why}`;
  return { type: 'diagnostic', code: kind, text, sample, count };
}

const diagnosticWords: Record<PeerDiagnostic['kind'], string> = {
  'not-json': 'The agent printed a line that is no JSON',
  'not-an-object': 'The agent printed a line that is no object',
  'no-type': 'The agent printed a line that is no message of the protocol',
  'overlong-line': 'The agent printed a line that is too long; it was skipped',
  'malformed-request': 'The agent sent a request that makes no sense',
  'malformed-response': 'The agent answered a question that was not asked',
  'unknown-request': 'The agent sent a request of an unknown kind; it was refused',
  'repeated-request': 'The agent sent the same request again',
  'handler-failed': 'A message of the agent could not be handled',
};

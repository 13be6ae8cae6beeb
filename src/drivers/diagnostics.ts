import type { AgentFact } from '../runner/ports/agent-driver.ts';

const sampleLength = 300;

export type DiagnosticKind = keyof typeof words;
export type Diagnostic = Extract<AgentFact, { type: 'diagnostic' }>;

/** What could not be understood, in words, with the beginning of it. Each one is reported: whoever stores them counts. */
export function diagnosticFact(
  kind: DiagnosticKind,
  line: string,
  { bytes = Buffer.byteLength(line), error }: { readonly bytes?: number; readonly error?: unknown } = {},
): Diagnostic {
  const why = error instanceof Error ? `: ${error.message}` : '';
  const text = `${words[kind]} (${bytes} bytes)${why}`;
  return { type: 'diagnostic', code: kind, text, sample: line.slice(0, sampleLength) };
}

const words = {
  'not-json': 'The agent printed a line that is no JSON',
  'not-an-object': 'The agent printed a line that is no object',
  'no-type': 'The agent printed a line that is no message of its protocol',
  'overlong-line': 'The agent printed a line that is too long; it was skipped',
  'malformed-request': 'The agent sent a request that makes no sense',
  'malformed-response': 'The agent sent a response that makes no sense',
  'unknown-request': 'The agent sent a request of an unknown kind; it was refused',
  'repeated-request': 'The agent sent the same request again',
  'reused-request-id':
    'The agent asked something else under the id of a request that was open; that one was ended',
  'handler-failed': 'A line of the agent could not be handled',
} as const;

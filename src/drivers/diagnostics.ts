import type { AgentFact } from '../runner/ports/agent-driver.ts';

const sampleLength = 300;
const alwaysReported = 5;

export type DiagnosticKind =
  | 'not-json'
  | 'not-an-object'
  | 'no-type'
  | 'overlong-line'
  | 'malformed-request'
  | 'malformed-response'
  | 'unknown-request'
  | 'repeated-request'
  | 'reused-request-id'
  | 'handler-failed';

export interface PeerDiagnostic {
  readonly kind: DiagnosticKind;
  /** How many of this kind there were so far. */
  readonly count: number;
  readonly bytes: number;
  readonly sample: string;
  readonly error?: unknown;
}

/**
 * Counts what could not be understood. An agent that prints nothing but rubbish is reported
 * at 1 to 5, then at 8, 16, 32 and so on, not a hundred thousand times a second.
 */
export class DiagnosticCounter {
  readonly #counts = new Map<DiagnosticKind, number>();
  readonly #report: (diagnostic: PeerDiagnostic) => void;

  constructor(report: (diagnostic: PeerDiagnostic) => void) {
    this.#report = report;
  }

  count(kind: DiagnosticKind, line: string, bytes = Buffer.byteLength(line), error?: unknown): void {
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    if (count > alwaysReported && !isPowerOfTwo(count)) return;
    const sample = line.slice(0, sampleLength);
    this.#report({ kind, count, bytes, sample, ...(error !== undefined && { error }) });
  }
}

function isPowerOfTwo(count: number): boolean {
  return (count & (count - 1)) === 0;
}

/** What could not be understood, in words. */
export function diagnosticFact({ kind, count, bytes, sample, error }: PeerDiagnostic): AgentFact {
  const why = error instanceof Error ? `: ${error.message}` : '';
  const text = `${diagnosticWords[kind]} (${bytes} bytes)${why}`;
  return { type: 'diagnostic', code: kind, text, sample, count };
}

const diagnosticWords: Record<DiagnosticKind, string> = {
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
};

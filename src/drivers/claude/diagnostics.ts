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

import type { AskTimeout, WhileBusy } from '../protocol/session.ts';

export interface EngineSettings {
  readonly defaultCwd: string;
  /** Directories in which sessions may run; empty for anywhere. */
  readonly roots: readonly string[];
  readonly mostProcesses: number;
  readonly idleMs: number;
  /** So many sessions at rest are kept in memory after they were used; 50 unless told. */
  readonly mostAtRest?: number;
  readonly askTimeout: AskTimeout | null;
  /** For sessions that are not set for themselves; `queue` unless told. The engine only passes it on. */
  readonly whileBusy?: WhileBusy;
  /** How long an ask may wait until its agent is put to sleep, where it can be; null for as long as it takes. */
  readonly deferAsksMs: number | null;
  /** So long a message waits for the files to be recorded; then it is handed over, and the recording is late. */
  readonly recordingMs: number;
}

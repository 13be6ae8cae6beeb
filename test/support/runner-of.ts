import type { Runner } from '../../src/engine/ports/runner.ts';
import { localRunner } from '../../src/runner/local-runner.ts';
import type { AgentDriver } from '../../src/runner/ports/agent-driver.ts';
import type { AgentProcess, KeptProcess } from '../../src/runner/ports/process-host.ts';

export interface RunnerOfOptions {
  /** The processes that outlived an earlier server. */
  readonly kept?: readonly KeptProcess[];
  readonly endLeftovers?: () => Promise<unknown>;
  /** What every raw log holds. */
  readonly raw?: string;
  onEnded?(processId: string): void;
  onRemoved?(sessionId: string): void;
}

/** The real runner with drivers that need no processes. */
export function runnerOf(drivers: readonly AgentDriver[], options: RunnerOfOptions = {}): Runner {
  const { kept = [], endLeftovers = async () => {}, raw = 'raw', onEnded, onRemoved } = options;
  const attach = (id: string) =>
    ({ end: async () => onEnded?.(id), stored: () => {} }) as Partial<AgentProcess> as AgentProcess;
  return localRunner({
    drivers,
    processes: {
      kept: async () => kept,
      attach,
      async endLeftovers() {
        await endLeftovers();
        return { found: 0, killed: 0, remaining: 0 };
      },
      close: async () => {},
      detach: async () => {},
    },
    rawLog: {
      async *read() {
        yield Buffer.from(raw);
      },
      remove: async (sessionId) => onRemoved?.(sessionId),
      close: async () => {},
    },
  });
}

import type { AgentFact } from '../../runner/ports/agent-driver.ts';
import type { ProcessExit } from '../../runner/ports/process-host.ts';

/** The end of an agent's process as the last fact about it. */
export function exitFact(
  exit: ProcessExit,
  stderr: readonly string[],
  startError: string | undefined,
): AgentFact {
  if (exit.kind === 'host-lost') {
    return { type: 'exited', code: null, signal: null, stderr, hostLost: exit.message };
  }
  if (exit.kind === 'exited') {
    const { code, signal } = exit;
    return { type: 'exited', code, signal, stderr, ...(startError !== undefined && { startError }) };
  }
  return { type: 'exited', code: null, signal: null, stderr, startError: spawnWords(exit) };
}

function spawnWords({ code, message }: Extract<ProcessExit, { kind: 'spawn-failed' }>): string {
  switch (code) {
    case 'not-found':
      return `The agent's program was not found (${message})`;
    case 'not-executable':
      return `The agent's program cannot be run (${message})`;
    case 'cwd-missing':
      return 'The working directory does not exist any more';
    case 'host-closed':
    case 'failed':
      return message;
  }
}

import { SessionId } from '../../../src/protocol/ids.ts';
import type { AgentStart } from '../../../src/runner/ports/agent-driver.ts';
import type { AgentProcess, OutputReader } from '../../../src/runner/ports/process-host.ts';

export const leftStart: AgentStart = {
  processId: 'run',
  sessionId: SessionId.parse('ses'),
  cwd: '/work',
  env: {},
  permissionMode: null,
  model: null,
  resume: null,
  tools: null,
};

/** A process that outlived its server and never ends; what it prints, the test gives to its reader. */
export const leftProcess = (
  onReader: (reader: OutputReader) => void,
  onWrite: (data: string | Buffer) => void = () => {},
): AgentProcess => ({
  id: leftStart.processId,
  pid: 1,
  outlivesServer: true,
  isolation: 'none',
  earlierWrites: { written: new Set(), doubtful: new Set() },
  write: async (data) => {
    onWrite(data);
    return { ok: true };
  },
  stored() {},
  closeInput() {},
  readOutput: (reader) => {
    onReader(reader);
    return () => undefined;
  },
  pauseOutput() {},
  resumeOutput() {},
  stderrTail: () => [],
  exited: new Promise(() => undefined),
  end: () => new Promise(() => undefined),
});

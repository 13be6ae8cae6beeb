import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { demoDriver } from '../../src/drivers/demo/driver.ts';
import { FileProcessHost } from '../../src/drivers/process/file-process-host.ts';
import { LocalProcessHost } from '../../src/drivers/process/local-process-host.ts';
import { stopAgents } from '../../src/drivers/process/run-admin.ts';
import { RunArchive } from '../../src/drivers/process/run-archive.ts';
import { startProgram } from '../../src/drivers/process/start-program.ts';
import type { Runner } from '../../src/engine/ports/runner.ts';
import { type LocalRunnerOptions, localRunner } from '../../src/runner/local-runner.ts';
import type { AgentDriver } from '../../src/runner/ports/agent-driver.ts';
import type { ProcessHost } from '../../src/runner/ports/process-host.ts';
import { openRawLog } from '../../src/runner/raw-log.ts';
import { openWorkspace } from '../../src/runner/workspace/workspace.ts';
import type { RunnerUnderTest } from '../contracts/runner-contract.ts';
import { scriptedDriver } from '../drivers/acp/acp-rig.ts';
import { argvEditor } from '../support/argv-editor.ts';

type Agent = Pick<RunnerUnderTest, 'agent' | 'scenario'> & {
  readonly driver: (processes: ProcessHost, dataDir: string) => AgentDriver;
};

const scenario = { reply: 'hello', command: 'run touch asked.txt', endless: 'slow 100000' };

export const demoAgent: Agent = {
  agent: 'demo',
  scenario,
  driver: (processes, dataDir) =>
    demoDriver({ processes, environment: process.env, home: join(dataDir, 'home') }),
};

export const acpAgent: Agent = {
  agent: 'scripted',
  scenario: { ...scenario, endless: 'endless' },
  driver: (processes, dataDir) => scriptedDriver({ processes, home: join(dataDir, 'home'), flags: [] }),
};

/** The runner of this program, with an agent that outlives it. */
export const onFiles = (agent: Agent): RunnerUnderTest =>
  underTest(
    agent,
    (dataDir) => {
      const archive = new RunArchive({ dataDir });
      const processes = new FileProcessHost({ dataDir, onOver: (run) => void archive.add(run) });
      return { processes, rawLog: archive };
    },
    (dataDir) => stopAgents(dataDir, 500),
  );

/** With one that does not. */
export const onPipes = (agent: Agent): RunnerUnderTest =>
  underTest(agent, (dataDir) => {
    const rawLog = openRawLog({ directory: join(dataDir, 'raw') });
    return { processes: new LocalProcessHost({ dataDir, onRaw: rawLog.append.bind(rawLog) }), rawLog };
  });

function underTest(
  { agent, scenario, driver }: Agent,
  parts: (dataDir: string) => Pick<LocalRunnerOptions, 'rawLog'> & { readonly processes: ProcessHost },
  end: (dataDir: string) => Promise<unknown> = async () => {},
): RunnerUnderTest {
  const { dataDir, dir, remove } = directories();
  const editor = argvEditor(dataDir);
  const { program } = editor;
  return {
    agent,
    scenario,
    dir,
    editor,
    open(): Runner {
      const { processes, rawLog } = parts(dataDir);
      const workspace = openWorkspace({
        dataDir,
        home: join(dataDir, 'home'),
        path: process.env.PATH ?? '',
        editor: {
          command: [program, '{file}', '{line}'],
          diff: [program, '{before}', '{after}'],
          start: startProgram,
          env: { PATH: process.env.PATH ?? '' },
          // However slow the machine is, a program that ends is seen to end.
          waitMs: 600_000,
        },
      });
      return localRunner({ drivers: [driver(processes, dataDir)], processes, rawLog, workspace });
    },
    async close() {
      await end(dataDir);
      remove();
    },
  };
}

function directories() {
  const all = realpathSync(mkdtempSync(join(tmpdir(), 'beckon-runner-')));
  const [dataDir, dir] = [join(all, 'data'), join(all, 'work')];
  for (const directory of [dataDir, dir, join(dataDir, 'home')]) mkdirSync(directory);
  return { dataDir, dir, remove: () => rmSync(all, { recursive: true, force: true }) };
}

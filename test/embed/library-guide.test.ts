import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { compile, programsIn, writeProject } from '../support/guide-programs.ts';
import { endPrograms, runProgram } from '../support/run-program.ts';
import { linkSource } from '../support/source-package.ts';

// Programs are compiled and started here; on a busy machine that takes its time.
const programs = programsIn('docs/library.md');
let folder: string;
beforeEach(async () => {
  folder = await temporaryDirectory();
  linkSource(folder);
  writeProject(folder, [
    { file: 'package.json', text: '{"type":"module"}' },
    ...programs,
    { file: 'handles.ts', text: handles },
  ]);
});
afterEach(async () => {
  endPrograms();
  await endBeckons();
});

const run = (...args: string[]) => runProgram(process.execPath, args, { cwd: folder });

describe('docs/library.md', () => {
  it('[DOC1] every sample compiles', async () => {
    expect(programs.map(({ file }) => file)).toEqual([
      'in-process.ts',
      'with-express.ts',
      'with-fastify.ts',
      'with-hono.ts',
      'listening.ts',
      'allow-all.ts',
      'over-http.ts',
      'check-input.ts',
    ]);
    expect(await run(...compile)).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('[DOC1] [API2] the sample of a control room in a program runs, and the program ends by itself', async () => {
    const { code, stdout } = await run('in-process.ts');
    expect(stdout).toMatch(
      /^A person may look on: http:\/\/127\.0\.0\.1:\d+\/#pair=\S+\nWrite: .*: allowed\n/,
    );
    expect(code).toBe(0);
  });

  it('[DOC1] [API2] the sample over HTTP tells what the agent says', async () => {
    const beckon = await startBeckon();
    const { code, stdout } = await run('over-http.ts', beckon.dataDir, 'hello');
    expect(stdout).toMatch(/\w/);
    expect(code).toBe(0);
  });

  it('[DOC1] the sample of the schemas prints what they say', async () => {
    expect(await run('check-input.ts')).toMatchObject({
      code: 0,
      stdout: "[ 'labels' ]\nPOST /api/sessions 409\n",
    });
  });

  it('[API2] no signal is listened to, and nothing is left that keeps the program alive', async () => {
    const { code, stdout } = await run('handles.ts');
    expect(JSON.parse(stdout)).toEqual({ listeners: 0, timers: 0 });
    expect(code).toBe(0);
  });
});

const handles = `
import { createBeckon } from 'beckon';

const events = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2', 'exit', 'beforeExit', 'uncaughtException', 'unhandledRejection'];
const count = () => events.reduce((sum, event) => sum + process.listenerCount(event), 0);
const before = count();
const beckon = await createBeckon({ dataDir: './handles' });
await beckon.listen();
const listeners = count() - before;
await beckon.close();
const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
console.log(JSON.stringify({ listeners, timers }));
`;

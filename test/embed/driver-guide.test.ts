import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { eventually } from '../support/eventually.ts';
import { compile, programsIn, writeProject } from '../support/guide-programs.ts';
import { endPrograms, runProgram } from '../support/run-program.ts';
import { linkSource } from '../support/source-package.ts';
import { watch } from '../support/watch.ts';

// Programs are compiled and started here; on a busy machine that takes its time.
const programs = programsIn('docs/writing-a-driver.md');
afterEach(async () => {
  endPrograms();
  await endBeckons();
});

/** A folder in which nothing is installed. */
async function elsewhere(agents: object, files = programs) {
  const folder = await temporaryDirectory();
  for (const { file, text } of files) writeFileSync(join(folder, file), text);
  const config = join(folder, 'config.json');
  writeFileSync(config, JSON.stringify({ agents }));
  return { folder, config };
}

test('[API13] the driver of the guide, in a file of its own, asks, and a person’s Allow reaches its agent', async () => {
  const { folder, config } = await elsewhere({
    mine: { driver: './my-driver.ts', greeting: 'Good evening' },
  });
  const beckon = await startBeckon({ args: ['--config', config] });
  const news = await watch(beckon);
  const made = await beckon.api('POST', '/api/sessions', {
    agent: 'mine',
    cwd: folder,
    prompt: 'run touch made',
  });
  const { data } = await news.until('an ask', ({ event }) => event === 'approval-requested');
  expect(data).toMatchObject({ title: 'Bash: touch made', input: { command: 'touch made' } });
  expect(existsSync(join(folder, 'made'))).toBe(false);
  const { id } = made.body.session;
  const reply = await beckon.api('POST', `/api/sessions/${id}/approve`, {
    requestId: data.requestId,
    decision: 'allow',
  });
  expect(reply.body).toMatchObject({ interaction: { outcome: 'allowed' } });
  await eventually('the file is there', () => existsSync(join(folder, 'made')));
  await beckon.api('POST', `/api/sessions/${id}/message`, { message: 'hello' });
  await eventually('the option has reached the agent', async () => {
    const { body } = await beckon.api('GET', `/api/sessions/${id}/events`);
    return JSON.stringify(body.events).includes('Good evening, you said: hello');
  });
  news.close();
  expect(await beckon.stop()).toEqual({ code: 0, signal: null });
});

test('[API13] a driver that cannot be loaded is named with the reason, and everything else works', async () => {
  const { folder, config } = await elsewhere(
    {
      gone: { driver: './gone.ts' },
      torn: { driver: './torn.ts', label: 'Torn' },
      empty: { driver: './empty.ts' },
      thrower: { driver: './thrower.ts' },
    },
    [
      { file: 'torn.ts', text: 'const fine = 1;\nexport default {{;\n' },
      { file: 'empty.ts', text: 'export const driver = 1;\n' },
      {
        file: 'thrower.ts',
        text: "import { defineDriver } from 'beckon/driver';\nexport default defineDriver({ name: 'x', label: 'X', open() { throw new Error('no licence'); } });\n",
      },
    ],
  );
  const beckon = await startBeckon({ args: ['--config', config] });
  const reasons = {
    gone: `The file ${join(folder, 'gone.ts')} does not exist`,
    torn: `The driver ${join(folder, 'torn.ts')}:2 cannot be loaded`,
    empty: `${join(folder, 'empty.ts')} exports no driver: export what defineDriver gives, as default`,
    thrower: 'Its driver could not be opened: no licence',
  };
  const { body } = await beckon.api('GET', '/api/agents');
  const { stdout } = await beckon.run(['agents']);
  for (const [name, reason] of Object.entries(reasons)) {
    const listed = body.agents.find((agent: { name: string }) => agent.name === name);
    expect(listed).toMatchObject({ available: false, reason: expect.stringContaining(reason) });
    expect(stdout).toContain(reason);
    expect(beckon.stderr()).toContain(reason);
  }
  const demo = await beckon.api('POST', '/api/sessions', { agent: 'demo', cwd: folder, prompt: 'hello' });
  expect(demo.status).toBe(201);
});

test('[API13] the guide’s programs compile, and its driver passes the published suite under Node’s own runner', async () => {
  const folder = await temporaryDirectory();
  linkSource(folder);
  writeProject(folder, [{ file: 'package.json', text: '{"type":"module"}' }, ...programs]);
  const run = (...args: string[]) => runProgram(process.execPath, args, { cwd: folder });
  expect(await run(...compile)).toEqual({ code: 0, stdout: '', stderr: '' });
  const { code, stdout } = await run('--test', '--test-reporter=tap', 'my-driver.test.ts');
  expect(stdout).toMatch(/^# fail 0$/m);
  expect(Number(/^# pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(12);
  expect(code).toBe(0);
});

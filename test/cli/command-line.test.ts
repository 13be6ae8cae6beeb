import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Console } from '../../src/cli/console.ts';
import { run } from '../../src/cli/run.ts';
import {
  type Beckon,
  endBeckons,
  runBeckon,
  startBeckon,
  temporaryDirectory,
} from '../support/beckon-process.ts';

const program = resolve(import.meta.dirname, '../../bin/beckon.cjs');
let beckon: Beckon;
let work: string;
beforeAll(async () => {
  work = await temporaryDirectory();
  beckon = await startBeckon();
});
afterAll(endBeckons);

async function newSession(title: string): Promise<string> {
  const { body } = await beckon.api('POST', '/api/sessions', { agent: 'demo', cwd: work, title });
  return body.session.id;
}

const statusOf = async (id: string): Promise<string> =>
  (await beckon.api('GET', `/api/sessions/${id}`)).body.session.status;

describe('[API1] the command line', () => {
  it.each([
    [['lst'], '"lst" is no command; did you mean "ls"?'],
    [['toString'], '"toString" is no command'],
    [['ls', '--al'], '"--al" is no flag of this command; did you mean "--all"?'],
    [['agents', 'demo'], '"demo" is one word too many: beckon agents'],
    [['queue', 'a', 'b'], '"b" is one word too many'],
    [['ls', '--all', '--archived'], '--all and --archived cannot be given together'],
    [['send', 'a', 'hello', '--queue', '--steer'], '--queue and --steer cannot be given together'],
    [['ls', '--token', 'x'], '--token does nothing without --url'],
    [['ls', '--url', '127.0.0.1:4590', '--token', 'x'], '--url wants an address such as'],
    [['ls', '--url', 'http://127.0.0.1:4590'], 'a server elsewhere wants its token'],
  ])('%j is refused in words: %s', async (args, words) => {
    const stderr = new PassThrough();
    const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr };
    const code = await run(args, { env: {}, cwd: work, ...streams } as unknown as Console);
    expect(code).toBe(2);
    expect(String(stderr.read())).toContain(words);
  });

  it('takes the flags that all commands have before the command as well, and -v', async () => {
    const before = await runBeckon(['--json', '--data-dir', beckon.dataDir, 'status']);
    expect(before.code).toBe(0);
    expect(JSON.parse(before.stdout).server.url).toBe(beckon.url);
    expect((await runBeckon([`--data-dir=${beckon.dataDir}`, 'agents'])).stdout).toContain('demo');
    expect((await runBeckon(['-v'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('reaches a server elsewhere by its address and token, from flags or the environment', async () => {
    const { url, token } = beckon;
    expect((await runBeckon(['agents', '--url', `${url}/`, `--token=${token}`])).stdout).toContain('demo');
    const env = { BECKON_URL: url, BECKON_TOKEN: token };
    expect((await runBeckon(['agents'], { env })).stdout).toContain('demo');
    expect(await runBeckon(['ls', '--json', '--url', url, '--token', 'wrong'])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('"code":"unauthorized"'),
    });
  });

  it('keeps the code of an error for programs', async () => {
    const code = async (...args: string[]): Promise<string> =>
      JSON.parse((await beckon.run([...args, '--json'])).stdout).error.code;
    expect(await code('stop', 'nobody')).toBe('session_not_found');
    expect(await code('approve', 'int_nothing')).toBe('interaction_not_found');
    expect(await code('ls', '--limit', 'x')).toBe('usage');
    const empty = await temporaryDirectory();
    expect(JSON.parse((await runBeckon(['ls', '--json', '--data-dir', empty])).stdout).error.code).toBe(
      'no_server',
    );
  });

  it('[SES1] stops every session that it names, and none if one of the names is wrong', async () => {
    const ids = [await newSession('One'), await newSession('Two')];
    expect(await beckon.run(['stop', ...ids, 'nobody'])).toMatchObject({ code: 1 });
    for (const id of ids) expect(await statusOf(id)).not.toBe('stopped');
    expect(await beckon.run(['stop', ...ids])).toEqual({
      code: 0,
      stdout: 'One: stopped\nTwo: stopped\n',
      stderr: '',
    });
    for (const id of ids) expect(await statusOf(id)).toBe('stopped');
  });

  it('renames, and removes what is stopped', async () => {
    const id = await newSession('Draft');
    expect((await beckon.run(['rename', id, 'The', 'shop'])).stdout).toBe('renamed: The shop\n');
    expect(await beckon.run(['rm', id])).toMatchObject({ code: 1, stderr: expect.stringContaining('stop') });
    await beckon.run(['stop', id]);
    expect((await beckon.run(['rm', id])).stdout).toBe('removed\n');
    expect((await beckon.api('GET', `/api/sessions/${id}`)).status).toBe(404);
  });

  it('[SEC1] lists the paired browsers and removes one', async () => {
    expect((await beckon.run(['devices'])).stdout).toBe('No browser is paired.\n');
    const { body } = await beckon.api('POST', '/api/pairing-code');
    const headers = { 'content-type': 'application/json', origin: beckon.url };
    const request = { code: body.code };
    await fetch(`${beckon.url}/api/pair`, { method: 'POST', headers, body: JSON.stringify(request) });
    const listed = await beckon.run(['devices']);
    expect(listed.stdout).toMatch(/^\S+ {2}.+ {2}paired .+ {2}seen .+\n$/);
    const [short = ''] = listed.stdout.split(' ');
    expect((await beckon.run(['devices', '--remove', short])).stdout).toBe('No browser is paired.\n');
  });

  it('completes commands, flags and sessions in a real bash', async () => {
    const id = await newSession('Completed');
    const tab = async (...words: string[]): Promise<string[]> => {
      const line = words.map((word) => `'${word}'`).join(' ');
      const script = `beckon() { '${process.execPath}' '${program}' "$@"; }
source <(beckon completion bash)
COMP_WORDS=(beckon ${line}); COMP_CWORD=${words.length}; _beckon; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const env = { ...process.env, BECKON_DATA_DIR: beckon.dataDir };
      const { stdout } = await promisify(execFile)('bash', ['-c', script], { env });
      return stdout.trim().split('\n');
    };
    expect(await tab('unar')).toEqual(['unarchive']);
    expect(await tab('ls', '--arch')).toEqual(['--archived']);
    expect(await tab('stop', id.slice(0, 6))).toContain(id);
    expect(await tab('nothing', 'x')).toEqual(['']);
  });
});

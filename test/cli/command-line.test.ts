import { PassThrough } from 'node:stream';
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
    [['serve', 'now'], '"now" is one word too many'],
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
    expect((await runBeckon(['agents', '--url', `${url}/`, '--token', token])).stdout).toContain('demo');
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
});

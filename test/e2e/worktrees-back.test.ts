import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { personsGit } from '../runner/workspace/repositories.ts';
import { type Beckon, endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { eventually } from '../support/eventually.ts';

let tree: string;
let beckon: Beckon;

beforeEach(async () => {
  tree = join(await temporaryDirectory(), 'shop');
  mkdirSync(join(tree, '.beckon'), { recursive: true });
  personsGit(tree, ['init', '-q', '-b', 'main']);
  writeFileSync(join(tree, 'a.txt'), 'one\n');
  writeFileSync(join(tree, '.gitignore'), 'runs\n');
  writeFileSync(join(tree, '.beckon/setup'), 'echo ran >> runs\n');
  personsGit(tree, ['add', '.']);
  personsGit(tree, ['commit', '-q', '-m', 'first']);
  beckon = await startBeckon();
});

afterEach(endBeckons);

async function session(title: string, worktree: object = {}) {
  const made = await beckon.api('POST', '/api/sessions', { agent: 'demo', cwd: tree, title, worktree });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  return made.body.session;
}

// biome-ignore lint/suspicious/noExplicitAny: events of every kind
const events = async (id: string, type: string): Promise<any[]> => {
  const { body } = await beckon.api('GET', `/api/sessions/${id}/events?limit=1000`);
  return body.events.filter((event: { type: string }) => event.type === type);
};

async function run(id: string, command: string): Promise<void> {
  const before = (await events(id, 'turn.ended')).length;
  await beckon.api('POST', `/api/sessions/${id}/trust`, { minutes: 60 });
  await beckon.api('POST', `/api/sessions/${id}/message`, { message: `run ${command}` });
  await eventually('the turn has ended', async () => (await events(id, 'turn.ended'))[before]);
}

/** Stops the session and removes its worktree, with all that is in it. */
async function removeOf(id: string, worktreeId: string): Promise<void> {
  await beckon.api('POST', `/api/sessions/${id}/stop`);
  const { body } = await beckon.api('GET', '/api/worktrees');
  const { shown } = body.worktrees.find((one: { id: string }) => one.id === worktreeId);
  const removed = await beckon.api('POST', `/api/worktrees/${worktreeId}/remove`, {
    shown,
    branch: 'remove',
  });
  expect(removed.status, JSON.stringify(removed.body)).toBe(200);
}

const digestOf = async (): Promise<string> => {
  const { body } = await beckon.api('GET', `/api/repository?cwd=${encodeURIComponent(tree)}`);
  return body.repository.setup.digest;
};

it('[CHG65] [CHG66] [CHG69] a session goes on in the worktree that was brought back, its setup runs again, and no longer once that was taken back', async () => {
  const setup = await digestOf();
  const { id, cwd, worktree } = await session('Back', { setup });
  await run(id, 'echo edited > a.txt');
  const runs = (): string => readFileSync(join(cwd, 'runs'), 'utf8');
  expect(runs()).toBe('ran\n');
  await removeOf(id, worktree.id);
  expect(existsSync(cwd)).toBe(false);

  const listed = await beckon.run(['worktrees']);
  expect(listed.stdout).toMatch(
    /^no worktrees\nremoved beckon\/back {2}from main {2}2 files recorded, Back, /,
  );
  const told = await beckon.run(['worktrees', '--restore', 'beckon/back']);
  expect(told.stdout).toBe(
    [
      `${cwd} is back, with 2 files that were in no commit`,
      'what was staged is no longer staged',
      'the setup of the project runs before the agent starts',
      '',
    ].join('\n'),
  );
  expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('edited\n');
  const [restored] = await events(id, 'worktree.restored');
  expect(restored.setup).toEqual({ digest: setup, isAgreed: true });
  await beckon.api('POST', `/api/sessions/${id}/resume`);
  await run(id, 'echo more >> a.txt');
  expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('edited\nmore\n');
  // The file of the first run is ignored and was recorded; the setup has run once more.
  expect(runs()).toBe('ran\nran\n');

  // Agreed to is listed, over a restart, and taken back; brought back once more it does not run.
  await beckon.kill9();
  beckon = await startBeckon({ dataDir: beckon.dataDir });
  const { setups } = (await beckon.api('GET', '/api/setups')).body;
  expect(setups).toMatchObject([{ repository: tree, digest: setup, agreedAt: expect.any(String) }]);
  // Whoever waits for it when it is taken back goes on without it.
  await removeOf(id, worktree.id);
  const back = await beckon.api('POST', `/api/worktrees/${worktree.id}/restore`, {});
  expect(back, JSON.stringify(back.body)).toMatchObject({
    status: 200,
    body: { setup: 'waiting', files: 2 },
  });
  const revoked = await beckon.run(['setups', '--revoke', setup.slice(0, 12)]);
  expect(revoked.stdout).toBe('Nobody has agreed to a setup.\n');
  const again = { repository: tree, digest: setup };
  expect((await beckon.api('POST', '/api/setups/revoke', again)).status).toBe(404);
  await beckon.api('POST', `/api/sessions/${id}/resume`);
  await run(id, 'true');
  expect(runs()).toBe('ran\nran\n');
  expect((await beckon.api('GET', `/api/sessions/${id}`)).body.session.worktree.setup).toBe('unagreed');
  expect((await beckon.api('GET', '/api/setups')).body).toEqual({ setups: [] });
}, 240_000);

it('[CHG51] ten agents in ten worktrees of one repository edit, commit and leave files at once, and none sees another’s', async () => {
  const numbers = Array.from({ length: 10 }, (_, index) => index);
  const all = await Promise.all(numbers.map((number) => session(`Agent ${number}`)));
  expect(new Set(all.map(({ cwd }) => cwd)).size).toBe(10);
  await Promise.all(
    all.map(({ id }, number) =>
      run(
        id,
        `echo of ${number} > a.txt && git -c user.name=A -c user.email=a@example.org commit -qam ${number} && echo ${number} > left-${number}`,
      ),
    ),
  );
  for (const [number, { cwd, worktree }] of all.entries()) {
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe(`of ${number}\n`);
    expect(personsGit(cwd, ['status', '--porcelain'])).toBe(`?? left-${number}\n`);
    expect(personsGit(tree, ['log', '--format=%s', worktree.branch])).toBe(`${number}\nfirst\n`);
  }
  expect(readFileSync(join(tree, 'a.txt'), 'utf8')).toBe('one\n');
  expect(personsGit(tree, ['status', '--porcelain'])).toBe('');
  expect(personsGit(tree, ['log', '--format=%s', 'main'])).toBe('first\n');
}, 240_000);

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { personsGit } from '../runner/workspace/repositories.ts';
import { type Beckon, endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { eventually } from '../support/eventually.ts';
import { isRunning } from '../support/running.ts';

let tree: string;
let beckon: Beckon;

beforeEach(async () => {
  tree = join(await temporaryDirectory(), 'shop');
  mkdirSync(join(tree, '.beckon'), { recursive: true });
  personsGit(tree, ['init', '-q', '-b', 'main']);
  writeFileSync(join(tree, 'a.txt'), 'one\n');
  writeFileSync(join(tree, '.gitignore'), '.env\n');
  writeFileSync(join(tree, '.env'), 'TOKEN=1\n');
  writeFileSync(join(tree, '.worktreeinclude'), '.env\n');
  writeFileSync(join(tree, '.beckon/setup'), 'cat .env; echo set up in "$PWD" >&2; touch ready\n');
  personsGit(tree, ['add', '.']);
  personsGit(tree, ['commit', '-q', '-m', 'first']);
  const config = join(tree, '..', 'config.json');
  writeFileSync(config, JSON.stringify({ roots: [tree] }));
  beckon = await startBeckon({ args: ['--config', config] });
});

afterEach(endBeckons);

async function repository() {
  const { status, body } = await beckon.api('GET', `/api/repository?cwd=${encodeURIComponent(tree)}`);
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body.repository, JSON.stringify(body)).not.toBeNull();
  return body.repository;
}

async function session(worktree: object, more: object = {}) {
  const made = await beckon.api('POST', '/api/sessions', { agent: 'demo', cwd: tree, worktree, ...more });
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

it('[CHG49] [CHG51] two agents edit the same file apart, the setup runs once somebody agreed, and leftovers are removed as shown', async () => {
  const first = await repository();
  expect(first).toMatchObject({
    branch: 'main',
    base: { name: 'main' },
    include: ['.env'],
    setup: { isAgreed: false },
  });
  const shown = { commit: first.base.commit };
  const one = await session(shown, { title: 'One' });
  expect(one.worktree).toMatchObject({
    branch: 'beckon/one',
    base: 'main',
    setup: 'unagreed',
    repository: tree,
  });
  const two = await session({ ...shown, setup: first.setup.digest }, { title: 'Two' });
  await Promise.all([run(one.id, 'echo of one > a.txt'), run(two.id, 'echo of two > a.txt')]);
  const read = (path: string): string => readFileSync(join(path, 'a.txt'), 'utf8');
  expect([read(one.cwd), read(two.cwd), read(tree)]).toEqual(['of one\n', 'of two\n', 'one\n']);
  // Nobody had agreed when the first was made; in the second it ran before the agent.
  expect(existsSync(join(one.cwd, 'ready'))).toBe(false);
  expect(await events(one.id, 'setup.changed')).toEqual([]);
  const [running, done] = await events(two.id, 'setup.changed');
  expect([running.setup, done.setup, done.code]).toEqual(['running', 'done', 0]);
  expect(done.output).toBe(`TOKEN=1\nset up in ${two.cwd}\n`);
  const [started] = await events(two.id, 'process.starting');
  expect(started.seq).toBeGreaterThan(done.seq);
  expect((await repository()).setup.isAgreed).toBe(true);

  // What was agreed to is this very content; another is not run, and a base that moved is told.
  writeFileSync(join(tree, '.beckon/setup'), 'exit 3\n');
  personsGit(tree, ['commit', '-qam', 'Another setup']);
  const moved = await beckon.api('POST', '/api/sessions', { agent: 'demo', cwd: tree, worktree: shown });
  expect(moved).toMatchObject({ status: 409, body: { error: { code: 'worktree_changed' } } });
  const three = await session({ setup: first.setup.digest }, { title: 'Three' });
  expect(three.worktree.setup).toBe('unagreed');
  const four = await session({ setup: (await repository()).setup.digest }, { title: 'Four' });
  await run(four.id, 'true');
  expect((await events(four.id, 'setup.changed')).at(-1)).toMatchObject({ setup: 'failed', code: 3 });

  // It stays when its session goes, and goes as it was shown.
  const listed = await beckon.api('GET', '/api/worktrees');
  expect(listed.body.worktrees).toHaveLength(4);
  const find = async (id: string) => {
    const { body } = await beckon.api('GET', '/api/worktrees');
    return body.worktrees.find((worktree: { id: string }) => worktree.id === id);
  };
  const { id } = one.worktree;
  const used = await find(id);
  expect(used).toMatchObject({
    sessions: [{ id: one.id, title: 'One' }],
    work: { uncommitted: [{ path: 'a.txt' }], untracked: [], ignored: [{ path: '.env' }] },
  });
  const remove = (what: string) =>
    beckon.api('POST', `/api/worktrees/${id}/remove`, { shown: what, branch: 'remove' });
  expect(await remove(used.shown)).toMatchObject({
    status: 409,
    body: { error: { code: 'worktree_in_use' } },
  });
  await beckon.api('POST', `/api/sessions/${one.id}/stop`);
  await beckon.api('DELETE', `/api/sessions/${one.id}`);
  expect(personsGit(tree, ['worktree', 'list', '--porcelain']).match(/^locked/gm)).toHaveLength(3);
  writeFileSync(join(one.cwd, 'more'), 'and more\n');
  expect(await remove(used.shown)).toMatchObject({
    status: 409,
    body: { error: { code: 'worktree_changed' } },
  });

  const told = await beckon.run(['worktrees', '--remove', id]);
  expect(told.stdout).toMatch(
    /uncommitted \(1\)\n {2}a\.txt\nuntracked \(1\)\n {2}more\nignored \(1\)\n {2}\.env/,
  );
  const [, token = ''] = /--shown (\w+)/.exec(told.stdout) ?? [];
  const removed = await beckon.run(['worktrees', '--remove', id, '--shown', token, '--with-branch']);
  expect(removed.stdout).toMatch(
    /^removed, with its branch\nwhat was in no commit is recorded as [0-9a-f]{12}\n$/,
  );
  expect(existsSync(one.cwd)).toBe(false);
  expect(personsGit(tree, ['branch', '--list', 'beckon/one'])).toBe('');
});

it('[CHG49] [CHG50] a server that is killed while the setup runs runs it again, and nothing of the first is left', async () => {
  writeFileSync(join(tree, '.beckon/setup'), 'echo $$ >> pids; [ -e go ] || sleep 1000\n');
  personsGit(tree, ['commit', '-qam', 'A long setup']);
  const { id, cwd } = await session({ setup: (await repository()).setup.digest }, { title: 'Long' });
  const pids = (): number[] =>
    existsSync(join(cwd, 'pids'))
      ? readFileSync(join(cwd, 'pids'), 'utf8').trim().split('\n').filter(Boolean).map(Number)
      : [];
  await eventually('the setup runs', () => pids().length === 1);
  const [first = 0] = pids();
  await beckon.kill9();
  writeFileSync(join(cwd, 'go'), '');
  beckon = await startBeckon({ dataDir: beckon.dataDir });
  await eventually(
    'it has run again',
    async () => (await events(id, 'setup.changed')).at(-1)?.setup === 'done',
  );
  expect(pids()).toHaveLength(2);
  expect(isRunning(first)).toBe(false);
  await run(id, 'true');

  // One that nobody waits for any more is ended.
  rmSync(join(cwd, 'go'));
  const stopped = await session({}, { title: 'Stopped' });
  const file = join(stopped.cwd, 'pids');
  await eventually('the setup runs', () => existsSync(file));
  await beckon.api('POST', `/api/sessions/${stopped.id}/stop`);
  await eventually(
    'it is ended',
    async () => (await events(stopped.id, 'setup.changed')).at(-1)?.setup === 'ended',
  );
});

it('[CHG45] [CHG49] on another machine the worktree is made, set up, listed and removed there', async () => {
  const program = join(import.meta.dirname, '../support/machines-program.ts');
  const far = await startBeckon({ command: { node: process.execPath, program } });
  const there = `machine=gpu-1&cwd=${encodeURIComponent(tree)}`;
  const digest = await eventually('the machine is there', async () => {
    const { body } = await far.api('GET', `/api/repository?${there}`);
    return body.repository?.setup.digest;
  });
  const worktree = { setup: digest };
  const made = await far.api('POST', '/api/sessions', {
    agent: 'demo',
    machine: 'gpu-1',
    cwd: tree,
    worktree,
  });
  const { id, cwd } = made.body.session;
  expect(cwd.startsWith(join(far.dataDir, 'gpu-1/worktrees/shop-'))).toBe(true);
  await eventually('it is set up', () => existsSync(join(cwd, 'ready')));
  await eventually('its agent is there', async () => {
    const { body } = await far.api('GET', `/api/sessions/${id}`);
    return body.session.status === 'idle' && body.session.worktree.setup === 'done';
  });
  await far.api('POST', `/api/sessions/${id}/stop`);
  const [listed] = (await far.api('GET', '/api/worktrees')).body.worktrees;
  expect(listed).toMatchObject({
    machine: 'gpu-1',
    sessions: [{ id }],
    work: { untracked: [{ path: 'ready' }] },
  });
  const removal = { machine: 'gpu-1', shown: listed.shown, branch: 'remove' };
  expect((await far.api('POST', `/api/worktrees/${listed.id}/remove`, removal)).status).toBe(200);
  expect(existsSync(cwd)).toBe(false);
});

import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { contentsKept, personsGit, snapshotOf } from '../runner/workspace/repositories.ts';
import { type Beckon, endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { DemoSession, PersonsTree, pathsOf } from '../support/demo-turns.ts';
import { eventually } from '../support/eventually.ts';
import { signal } from '../support/running.ts';
import { seededRandom, testSeed, times } from '../support/seeded-random.ts';

const seed = testSeed();
let tree: PersonsTree;
let beckon: Beckon;

beforeEach(async () => {
  tree = await PersonsTree.make({ kept: 'first\n', edited: 'first\n' });
  beckon = await startBeckon();
});

afterEach(endBeckons);

const session = (more: Record<string, unknown> = {}): Promise<DemoSession> =>
  DemoSession.start(beckon, { cwd: tree.path, ...more });

// Each starts servers and a dozen programs: on a machine with other work that takes its time.
describe('what an agent did to files', { timeout: times(120_000) }, () => {
  it('[CHG12] [CHG13] [CHG16] is told by turn and as a whole, and is put back and done again', async () => {
    const one = await session();
    const first = await one.turn('echo agent > edited');
    tree.write('mine', 'of the person\n');
    tree.write('kept', 'of the person\n');
    const second = await one.turn('echo agent > added && echo more >> kept');

    const whole = await one.changes();
    expect(pathsOf(whole)).toEqual(['added', 'edited', 'kept', 'mine']);
    expect(whole).toMatchObject({
      since: 'start',
      turnId: null,
      isLive: false,
      root: tree.path,
      branch: 'main',
    });
    expect(whole).toMatchObject({ between: ['mine'], both: ['kept'] });
    expect(whole.turns).toMatchObject([
      { turnId: second, title: 'run echo agent > added && echo more >> kept', files: 2 },
      { turnId: first, title: 'run echo agent > edited', files: 1 },
    ]);
    const sinceCommit = await one.changes('?since=commit');
    expect(pathsOf(sinceCommit)).toEqual(pathsOf(whole));
    expect(sinceCommit).toMatchObject({
      before: expect.stringMatching(/^commit:/),
      between: ['mine'],
      both: ['kept'],
    });
    const all = await one.api('GET', `/changes/patch?before=${whole.before}&after=${whole.after}`);
    expect(all.body.text).toContain('diff --git a/edited b/edited');
    const ofFirst = await one.changes(`?since=turn&turn=${first}`);
    expect(pathsOf(ofFirst)).toEqual(['edited']);
    const span = `before=${ofFirst.before}&after=${ofFirst.after}`;
    const patch = await one.api('GET', `/changes/patch?${span}&path=edited`);
    expect(patch.body).toEqual({ text: '@@ -1 +1 @@\n-first\n+agent\n', isCut: false, isBinary: false });
    const held = await one.api('GET', `/changes/content?at=${ofFirst.before}&path=edited`);
    expect(Buffer.from(held.body.base64, 'base64').toString()).toBe('first\n');
    const missing = await one.api('GET', `/changes/content?at=${ofFirst.before}&path=nowhere`);
    expect(missing.body).toEqual({ base64: null });

    // The first turn alone: what came after it stays.
    const git = snapshotOf(join(tree.path, '.git'), { times: true });
    const undone = await one.undo({ turnId: first });
    expect(undone).toMatchObject({ status: 200, body: { done: true, paths: ['edited'] } });
    expect([tree.read('edited'), tree.read('added'), tree.read('mine'), tree.read('kept')]).toEqual([
      'first\n',
      'agent\n',
      'of the person\n',
      'of the person\nmore\n',
    ]);
    expect(snapshotOf(join(tree.path, '.git'), { times: true })).toEqual(git);
    const { before, after } = undone.body;
    expect(await one.events('files.restored')).toMatchObject([
      { turnId: first, before, after, paths: ['edited'], files: 1, by: { kind: 'person' } },
    ]);
    expect(await one.undo({ before, after })).toMatchObject({ status: 200, body: { paths: ['edited'] } });
    expect(tree.read('edited')).toBe('agent\n');
  });

  it('[CHG16] [CHG17] is not put back while a turn runs there, nor over an edit that was not shown', async () => {
    const one = await session();
    const other = await session({ title: 'Other' });
    const turnId = await one.turn('echo agent > edited');
    await other.say('run sleep 600');
    await eventually('it works', async () => (await other.events('tool.called')).length > 0);
    expect(await one.undo({ turnId })).toMatchObject({
      status: 409,
      body: { error: { code: 'turn_running', details: { sessionId: other.id, title: 'Other' } } },
    });
    await other.api('POST', '/stop');

    tree.write('edited', 'of the person\n');
    const asked = await one.undo({ turnId });
    const obstacles = [{ path: 'edited', why: 'edited', canOverwrite: true }];
    expect(asked).toMatchObject({
      status: 409,
      body: { error: { code: 'undo_obstacles', details: { obstacles } } },
    });
    const { shown } = asked.body.error.details;
    tree.write('edited', 'once more\n');
    const again = await one.undo({ turnId, rest: 'overwrite', shown });
    expect(again).toMatchObject({ status: 409, body: { error: { details: { obstacles } } } });
    expect(tree.read('edited')).toBe('once more\n');
    const unseen = await one.undo({ turnId, rest: 'overwrite' });
    expect(unseen.status).toBe(409);
    const done = await one.undo({ turnId, rest: 'overwrite', shown: again.body.error.details.shown });
    expect(done).toMatchObject({ status: 200, body: { paths: ['edited'] } });
    expect(tree.read('edited')).toBe('first\n');
    const { before, after } = done.body;
    await one.undo({ before, after });
    expect(tree.read('edited')).toBe('once more\n');
  });

  it('[CHG13] says once that nothing can be recorded where there is no git, and records from its first turn on with it', async () => {
    const plain = await temporaryDirectory();
    const one = await session({ cwd: plain });
    await one.turn('echo a > a');
    await one.turn('echo b > b');
    expect(await one.events('files.unrecorded')).toMatchObject([{ when: 'start', code: 'no_repository' }]);
    const refused = await one.api('GET', '/changes');
    expect(refused).toMatchObject({ status: 422, body: { error: { code: 'no_repository' } } });
    personsGit(plain, ['init', '-q']);
    const third = await one.turn('echo c > c');

    expect(pathsOf(await one.changes(`?since=turn&turn=${third}`))).toEqual(['c']);
    expect(await one.events('files.recorded')).toMatchObject([
      { turnId: third, when: 'start' },
      { turnId: third, when: 'end' },
    ]);
  });

  it('[CHG12] [CHG18] is recorded through a kill of the server, of a session that sleeps, and goes with an ephemeral one', async () => {
    const one = await session();
    const first = await one.turn('echo agent > edited');
    await one.say('run echo more > added; sleep 600');
    await eventually('it has written', async () => tree.read('added'));
    await beckon.kill9();
    beckon = await startBeckon({ dataDir: beckon.dataDir });
    one.beckon = beckon;
    const running = await one.changes('?since=turn');
    expect(running).toMatchObject({ isLive: true, files: [{ path: 'added' }] });
    await one.api('POST', '/interrupt');
    const second = await one.ended(1);
    expect(pathsOf(await one.changes(`?since=turn&turn=${first}`))).toEqual(['edited']);
    expect(pathsOf(await one.changes(`?since=turn&turn=${second}`))).toEqual(['added']);
    await one.api('POST', '/stop');
    // A stopped session can be undone: nobody has to run for it.
    expect(await one.undo({ turnId: second })).toMatchObject({ status: 200, body: { paths: ['added'] } });
    expect(await one.undo({ turnId: first })).toMatchObject({ status: 200, body: { paths: ['edited'] } });
    expect([tree.read('edited'), tree.read('added')]).toEqual(['first\n', undefined]);

    const passing = await session({ ephemeral: true });
    await passing.turn('echo secret > passing');
    const { turns } = await passing.changes();
    expect(turns).toMatchObject([{ files: 1 }]);
    expect(contentsKept(beckon.dataDir)).toContain('secret\n');
    rmSync(join(tree.path, 'passing'));
    await passing.api('POST', '/stop');
    await eventually('it is gone', async () => (await passing.api('GET', '')).status === 404);
    await eventually('what it wrote is gone', async () => {
      try {
        return !contentsKept(beckon.dataDir).includes('secret\n');
      } catch {
        // The server takes things away while they are read.
        return false;
      }
    });
  });

  it('[CHG15] [CHG16] is put back and on record once, though the server was killed in the middle', async () => {
    await beckon.stop();
    const programs = await temporaryDirectory();
    const stuck = join(programs, 'stuck');
    const path = process.env.PATH ?? '';
    // The call that writes into the work tree is begun, and goes no further.
    const hanging = `#!/bin/sh
PATH='${path}'
case " $* " in *" -u "*) if mkdir '${stuck}' 2>/dev/null; then echo $$ > '${stuck}/pid'; exec sleep 600; fi;; esac
exec git "$@"
`;
    writeFileSync(join(programs, 'git'), hanging);
    chmodSync(join(programs, 'git'), 0o755);
    const env = { PATH: `${programs}${delimiter}${path}` };
    beckon = await startBeckon({ dataDir: beckon.dataDir, env });
    const one = await session();
    const turnId = await one.turn('echo agent > edited');
    const cut = one.undo({ turnId }).catch(() => 'cut');
    const pid = await eventually(
      'it is under way',
      async () => existsSync(join(stuck, 'pid')) && Number(readFileSync(join(stuck, 'pid'), 'utf8')),
    );
    onTestFinished(() => signal(pid, 'SIGKILL'));
    await beckon.kill9();
    expect(await cut).toBe('cut');
    beckon = await startBeckon({ dataDir: beckon.dataDir, env });
    one.beckon = beckon;
    const restored = await eventually('it is on record', async () => (await one.events('files.restored'))[0]);
    expect(restored).toMatchObject({ turnId, paths: ['edited'], by: { kind: 'person' } });
    expect(tree.read('edited')).toBe('first\n');
    const { before, after } = restored;
    expect(await one.undo({ before, after })).toMatchObject({ status: 200, body: { paths: ['edited'] } });
    expect(tree.read('edited')).toBe('agent\n');
  });

  it(`[CHG16] whatever turns and person do, an undo takes back its turn alone, and the person's git is as it was (seed ${seed})`, async () => {
    const random = seededRandom(seed);
    const one = await session();
    const names = ['a', 'b', 'c', 'd', 'edited'];
    const pick = (): string => names[Math.floor(random() * names.length)] ?? 'a';
    const files = () => snapshotOf(tree.path, { without: ['.git'] });
    tree.write('.gitignore', '*.env\n');
    tree.write('key.env', 'secret\n');
    tree.write('kept', 'in the stash\n');
    tree.git('stash');
    tree.write('staged', 'in the index\n');
    tree.git('add', 'staged');
    const turns: { id: string; start: Record<string, string>; end: Record<string, string> }[] = [];
    for (let count = 0; count < 3; count += 1) {
      if (random() < 0.7) tree.write(pick(), `person ${random()}\n`);
      const start = files();
      const work = [pick(), pick()].map((path) =>
        random() < 0.3 ? `rm -f ${path}` : `echo agent-${random()} > ${path}`,
      );
      const id = await one.turn(work.join('; '));
      turns.push({ id, start, end: files() });
    }
    if (random() < 0.5) tree.write(pick(), `person ${random()}\n`);
    for (let count = 0; count < times(3); count += 1) {
      const { id, start, end } = turns[Math.floor(random() * turns.length)] ?? expect.fail('No turn');
      const now = files();
      const git = snapshotOf(join(tree.path, '.git'), { times: true });
      const asked = await one.undo({ turnId: id });
      const changed = [...new Set([...Object.keys(start), ...Object.keys(end)])].filter(
        (path) => start[path] !== end[path],
      );
      const edited = changed.filter((path) => now[path] !== end[path] && now[path] !== start[path]);
      expect(asked.status).toBe(edited.length > 0 ? 409 : 200);
      if (edited.length > 0) {
        const told = asked.body.error.details.obstacles.map(({ path }: { path: string }) => path);
        expect(told.sort()).toEqual(edited.sort());
        expect(files()).toEqual(now);
      }
      const undone = asked.status === 200 ? asked : await one.undo({ turnId: id, rest: 'leave' });
      expect(undone.status, JSON.stringify(undone.body)).toBe(200);
      for (const path of new Set([...Object.keys(now), ...Object.keys(start)])) {
        const isBack = changed.includes(path) && !edited.includes(path);
        expect(files()[path], path).toBe(isBack ? start[path] : now[path]);
      }
      const { before, after } = undone.body;
      if (random() < 0.7) {
        expect((await one.undo({ before, after })).status).toBe(200);
        expect(files()).toEqual(now);
      }
      expect(snapshotOf(join(tree.path, '.git'), { times: true })).toEqual(git);
    }
  });
});

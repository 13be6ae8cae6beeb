import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { personsGit, snapshotOf } from '../runner/workspace/repositories.ts';
import { type Beckon, endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { eventually } from '../support/eventually.ts';

let tree: string;
let beckon: Beckon;

beforeEach(async () => {
  tree = await temporaryDirectory();
  personsGit(tree, ['init', '-q', '-b', 'main']);
  write('kept', 'first\n');
  write('edited', 'first\n');
  personsGit(tree, ['add', '.']);
  personsGit(tree, ['commit', '-q', '-m', 'first']);
  beckon = await startBeckon();
});

afterEach(endBeckons);

const write = (path: string, content: string): void => writeFileSync(join(tree, path), content);
const read = (path: string): string | undefined =>
  existsSync(join(tree, path)) ? readFileSync(join(tree, path), 'utf8') : undefined;

/** A session of the demo agent, which does without asking what it is told. */
async function session(more: Record<string, unknown> = {}): Promise<Session> {
  const made = await beckon.api('POST', '/api/sessions', { agent: 'demo', cwd: tree, ...more });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const { id } = made.body.session;
  const trusted = await beckon.api('POST', `/api/sessions/${id}/trust`, { minutes: 60 });
  expect(trusted.status, JSON.stringify(trusted.body)).toBe(200);
  return new Session(id);
}

class Session {
  readonly id: string;

  constructor(id: string) {
    this.id = id;
  }

  api(method: string, path: string, body?: unknown) {
    return beckon.api(method, `/api/sessions/${this.id}${path}`, body);
  }

  // biome-ignore lint/suspicious/noExplicitAny: events of every kind
  async events(type: string): Promise<any[]> {
    const { body } = await this.api('GET', '/events?limit=1000');
    return body.events.filter((event: { type: string }) => event.type === type);
  }

  say(message: string) {
    return this.api('POST', '/message', { message });
  }

  /** One turn, up to where its files are recorded, or known not to be; its id. */
  async turn(command: string): Promise<string> {
    const before = (await this.events('turn.ended')).length;
    await this.say(`run ${command}`);
    const ended = await eventually(
      'the turn has ended',
      async () => (await this.events('turn.ended'))[before],
    );
    await eventually('the files are recorded', async () => {
      if ((await this.events('files.unrecorded')).length > 0) return true;
      const recorded = await this.events('files.recorded');
      return recorded.some(({ turnId, when }) => turnId === ended.turnId && when === 'end');
    });
    return ended.turnId;
  }

  async changes(query = '') {
    const { status, body } = await this.api('GET', `/changes${query}`);
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  }

  undo(body: unknown) {
    return this.api('POST', '/undo', body);
  }
}

const paths = (changes: { files: { path: string }[] }): string[] => changes.files.map(({ path }) => path);

describe('what an agent did to files', () => {
  it('[CHG12] [CHG13] [CHG16] is told by turn and as a whole, and is put back and done again', async () => {
    const one = await session();
    const first = await one.turn('echo agent > edited');
    write('mine', 'of the person\n');
    write('kept', 'of the person\n');
    const second = await one.turn('echo agent > added && echo more >> kept');

    const whole = await one.changes();
    expect(paths(whole)).toEqual(['added', 'edited', 'kept', 'mine']);
    expect(whole).toMatchObject({ since: 'start', turnId: null, isLive: false, root: tree, branch: 'main' });
    expect(whole).toMatchObject({ between: ['mine'], both: ['kept'] });
    expect(whole.turns).toMatchObject([
      { turnId: second, title: 'run echo agent > added && echo more >> kept', files: 2 },
      { turnId: first, title: 'run echo agent > edited', files: 1 },
    ]);
    const sinceCommit = await one.changes('?since=commit');
    expect(paths(sinceCommit)).toEqual(paths(whole));
    expect(sinceCommit).toMatchObject({
      before: expect.stringMatching(/^commit:/),
      between: ['mine'],
      both: ['kept'],
    });
    const all = await one.api('GET', `/changes/patch?before=${whole.before}&after=${whole.after}`);
    expect(all.body.text).toContain('diff --git a/edited b/edited');
    const ofFirst = await one.changes(`?since=turn&turn=${first}`);
    expect(paths(ofFirst)).toEqual(['edited']);
    const span = `before=${ofFirst.before}&after=${ofFirst.after}`;
    const patch = await one.api('GET', `/changes/patch?${span}&path=edited`);
    expect(patch.body).toEqual({ text: '@@ -1 +1 @@\n-first\n+agent\n', isCut: false, isBinary: false });
    const held = await one.api('GET', `/changes/content?at=${ofFirst.before}&path=edited`);
    expect(Buffer.from(held.body.base64, 'base64').toString()).toBe('first\n');
    const missing = await one.api('GET', `/changes/content?at=${ofFirst.before}&path=nowhere`);
    expect(missing.body).toEqual({ base64: null });

    // The first turn alone: what came after it stays.
    const git = snapshotOf(join(tree, '.git'), { times: true });
    const undone = await one.undo({ turnId: first });
    expect(undone).toMatchObject({ status: 200, body: { done: true, paths: ['edited'] } });
    expect([read('edited'), read('added'), read('mine'), read('kept')]).toEqual([
      'first\n',
      'agent\n',
      'of the person\n',
      'of the person\nmore\n',
    ]);
    expect(snapshotOf(join(tree, '.git'), { times: true })).toEqual(git);
    const { before, after } = undone.body;
    expect(await one.events('files.restored')).toMatchObject([
      { turnId: first, before, after, paths: ['edited'], files: 1, by: { kind: 'person' } },
    ]);
    expect(await one.undo({ before, after })).toMatchObject({ status: 200, body: { paths: ['edited'] } });
    expect(read('edited')).toBe('agent\n');
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

    write('edited', 'of the person\n');
    const asked = await one.undo({ turnId });
    const obstacles = [{ path: 'edited', why: 'edited', canOverwrite: true }];
    expect(asked).toMatchObject({
      status: 409,
      body: { error: { code: 'undo_obstacles', details: { obstacles } } },
    });
    const { shown } = asked.body.error.details;
    write('edited', 'once more\n');
    const again = await one.undo({ turnId, rest: 'overwrite', shown });
    expect(again).toMatchObject({ status: 409, body: { error: { details: { obstacles } } } });
    expect(read('edited')).toBe('once more\n');
    const unseen = await one.undo({ turnId, rest: 'overwrite' });
    expect(unseen.status).toBe(409);
    const done = await one.undo({ turnId, rest: 'overwrite', shown: again.body.error.details.shown });
    expect(done).toMatchObject({ status: 200, body: { paths: ['edited'] } });
    expect(read('edited')).toBe('first\n');
    const { before, after } = done.body;
    await one.undo({ before, after });
    expect(read('edited')).toBe('once more\n');
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

    expect(paths(await one.changes(`?since=turn&turn=${third}`))).toEqual(['c']);
    expect(await one.events('files.recorded')).toMatchObject([
      { turnId: third, when: 'start' },
      { turnId: third, when: 'end' },
    ]);
  });
});

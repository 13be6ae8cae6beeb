import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { storeSessions } from '../../bench/stored-sessions.ts';
import type { Session } from '../../src/protocol/session.ts';
import { type Beckon, endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { endWatches, watchSession } from '../support/watch.ts';

const stored = 2_000;

interface Snapshot {
  readonly sessions: readonly Session[];
  readonly total: number;
  readonly nextCursor?: string;
}

describe('[STORE8] thousands of stored sessions', () => {
  let beckon: Beckon;
  let ids: readonly string[];

  beforeAll(async () => {
    const dataDir = await temporaryDirectory();
    ids = await storeSessions(
      dataDir,
      Array.from({ length: stored }, () => 11),
    );
    // The first start knows nothing of them but their logs.
    await (await startBeckon({ dataDir })).stop();
    beckon = await startBeckon({ dataDir });
  });

  afterEach(endWatches);
  afterAll(endBeckons);

  it('tell whoever connects of those at work and of those used last, not of all', async () => {
    const { body } = await beckon.api('POST', `/api/sessions/${ids[3]}/message`, { message: 'run echo hi' });
    expect(body.status).toBe('queued');
    const watch = await watchSession(beckon, ids[3] ?? '');
    await watch.event('interaction.requested');

    const snapshot = await firstSnapshot(beckon);
    expect(snapshot.sessions.length).toBeLessThan(250);
    expect(snapshot.sessions.find(({ id }) => id === ids[3])).toMatchObject({ status: 'waiting' });
    expect(snapshot.sessions.map(({ id }) => id)).toContain(ids.at(-1));
    expect(snapshot.total).toBe(stored);
    const query = new URLSearchParams({ limit: '1', before: snapshot.nextCursor ?? '' });
    const next = await beckon.api('GET', `/api/sessions?${query}`);
    expect(snapshot.sessions.map(({ id }) => id)).not.toContain(next.body.sessions[0].id);
  });

  it('are listed a page at a time in the terminal, and one is named by the beginning of its id', async () => {
    const listed = await beckon.run(['ls']);
    expect(listed.stdout).toContain('1,900 more');
    expect(listed.stdout.split('\n').filter((line) => line.includes('ses_bench'))).toHaveLength(100);
    const json = await beckon.run(['ls', '--json']);
    expect(JSON.parse(json.stdout).sessions).toHaveLength(stored);
    const sent = await beckon.run(['send', 'key-of-ses_bench_1999', 'hello']);
    expect(sent).toMatchObject({ code: 0 });
    const several = await beckon.run(['queue', 'bench_19']);
    expect(several.stderr).toContain('could be several sessions');
  });

  it('are listed in pages, found, touched, renamed, woken, stopped and removed as any other', async () => {
    const all = await beckon.api('GET', '/api/sessions');
    expect(all.body.sessions).toHaveLength(stored);
    expect(all.body.sessions[0]).toMatchObject({ id: ids.at(-1) });

    const seen: string[] = [];
    for (let before: string | undefined; ; ) {
      const query = new URLSearchParams({ limit: '700', ...(before !== undefined && { before }) });
      const { body } = await beckon.api('GET', `/api/sessions?${query}`);
      expect(body.total).toBe(stored);
      seen.push(...body.sessions.map((session: Session) => session.id));
      before = body.nextCursor;
      if (before === undefined) break;
    }
    expect(new Set(seen)).toEqual(new Set(ids));
    expect(seen.slice(-1_900)).toEqual(ids.filter((id) => seen.indexOf(id) >= 100).reverse());

    const old = ids[1_711] ?? '';
    const found = await beckon.api('GET', `/api/sessions?limit=10&q=${old}&status=asleep`);
    expect(found.body).toMatchObject({ total: 1, sessions: [{ id: old }] });
    const inUse = await beckon.api('POST', '/api/sessions', { agent: 'demo', key: `key-of-${old}` });
    expect(inUse).toMatchObject({ status: 409, body: { error: { code: 'key_in_use' } } });
    const hits = await beckon.api('GET', '/api/search?q=please&limit=3');
    expect(hits.body.hits).toHaveLength(3);
    expect(hits.body.hits[0]).toMatchObject({ title: `Stored session ${hits.body.hits[0].sessionId}` });

    const path = `/api/sessions/key-of-${old}`;
    expect((await beckon.api('PATCH', path, { title: 'Renamed' })).body.session.title).toBe('Renamed');
    expect((await beckon.api('GET', '/api/sessions?q=renamed')).body.sessions).toMatchObject([{ id: old }]);
    const watch = await watchSession(beckon, old);
    await beckon.api('POST', `${path}/message`, { message: 'hello' });
    expect(await watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
    expect((await beckon.api('GET', '/api/sessions?limit=1')).body.sessions).toMatchObject([{ id: old }]);
    await beckon.api('POST', `${path}/stop`);
    expect((await beckon.api('DELETE', path)).status).toBe(200);
    expect((await beckon.api('GET', path)).status).toBe(404);
    expect((await beckon.api('GET', '/api/sessions?limit=1')).body.total).toBe(stored - 1);
  });
});

async function firstSnapshot(beckon: Beckon): Promise<Snapshot> {
  const response = await fetch(`${beckon.url}/api/events`, {
    headers: { authorization: `Bearer ${beckon.token}` },
  });
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += new TextDecoder().decode(chunk);
    const [, data] = /^event: snapshot\ndata: (.*)$/m.exec(text.slice(0, text.lastIndexOf('\n\n') + 1)) ?? [];
    if (data !== undefined) return JSON.parse(data) as Snapshot;
  }
  throw new Error('The stream ended without a snapshot.');
}

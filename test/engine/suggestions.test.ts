import { describe, expect, it } from 'vitest';
import { AskHistory } from '../../src/engine/ask-history.ts';
import { findGrant, workplaceOf } from '../../src/model/grants.ts';
import type { Grant } from '../../src/protocol/grant.ts';
import { GrantId } from '../../src/protocol/ids.ts';
import type { Ask } from '../../src/protocol/interaction.ts';
import type { Suggestion } from '../../src/protocol/suggestion.ts';
import { type EngineRoom, endRoomsAfterEach, openRoom, person } from '../support/engine-room.ts';
import { memoryLog } from '../support/memory-log.ts';
import { processorTime } from '../support/processor-time.ts';
import { bashAsk } from '../support/session-states.ts';

endRoomsAfterEach();

let asked = 0;
async function decide(room: EngineRoom, session: string, ask: Partial<Ask> | string, how: object = {}) {
  asked += 1;
  const { interactionId: requestId } = await room.asks(
    session,
    typeof ask === 'string' ? bashAsk(`r${asked}`, ask) : bashAsk(`r${asked}`, '', ask),
  );
  await room.do('approve', { session, requestId, decision: 'allow', ...how });
}
async function decideTimes(room: EngineRoom, session: string, times: number, ask: Partial<Ask> | string) {
  for (let time = 0; time < times; time += 1) await decide(room, session, ask);
}
const all = async (room: EngineRoom): Promise<Suggestion[]> =>
  (await room.do('listSuggestions')).body.suggestions as Suggestion[];
const patterns = async (room: EngineRoom): Promise<string[]> =>
  (await all(room)).map(({ pattern }) => pattern).sort();
const grants = async (room: EngineRoom): Promise<Grant[]> =>
  (await room.do('listGrants')).body.grants as Grant[];
const file = (value: string, toolName = 'Edit'): Partial<Ask> => ({
  toolName,
  input: { file_path: value },
  subject: { kind: 'path', value },
});
const cwdOf = async (room: EngineRoom, session: string): Promise<string> => {
  const found = (await room.do('getSession', { session })).body.session as { cwd: string; realCwd?: string };
  return found.realCwd ?? found.cwd;
};

describe('[POL14] what was allowed often and denied never is suggested', () => {
  it('with its count, what it would have matched and what it would not, from the fourth like ask on', async () => {
    const room = await openRoom();
    const [one] = await room.running();
    const [two] = await room.running();
    await decideTimes(room, one, 2, 'npm test');
    await decide(room, one, 'npm run build');
    expect(await all(room)).toEqual([]);
    await decide(room, two, 'npm test');
    const [suggestion] = await all(room);
    expect(suggestion).toMatchObject({
      toolName: 'Bash',
      subjectKind: 'command',
      pattern: 'npm test',
      literal: true,
      allowed: 3,
      sessions: 2,
      directory: await cwdOf(room, one),
      matched: ['npm test'],
      not: ['npm run build', 'npm test --any-option', 'npm test && any-program'],
    });

    const fourth = await room.asks(two, bashAsk('fourth', 'npm test'));
    const of = { sessionId: two, interactionId: fourth.interactionId };
    expect((await room.do('listSuggestions', of)).body.suggestions).toEqual([suggestion]);
    const other = await room.asks(two, bashAsk('other', 'npm run build'));
    const ofOther = { sessionId: two, interactionId: other.interactionId };
    expect((await room.do('listSuggestions', ofOther)).body.suggestions).toEqual([]);
  });

  it('as a pattern where several of a kind were allowed, and exactly where it was always the same', async () => {
    const room = await openRoom();
    const [id] = await room.running();
    const cwd = await cwdOf(room, id);
    for (const name of ['a', 'b', 'c']) await decide(room, id, file(`${cwd}/src/${name}.ts`));
    await decideTimes(room, id, 3, 'git status -s');
    expect(await patterns(room)).toEqual([`${cwd}/src/*`, 'git status -s'].sort());
    const [wide] = (await all(room)).filter(({ literal }) => !literal);
    expect(wide?.matched).toEqual(['c', 'b', 'a'].map((name) => `${cwd}/src/${name}.ts`));
    expect(wide?.not).toContain(`${cwd}/src/package.json`);
  });

  it('only where it was allowed, and not where a grant allows it already', async () => {
    const room = await openRoom();
    const [one] = await room.running();
    const elsewhere = await room.running({ cwd: '/' });
    await decideTimes(room, one, 2, 'npm test');
    await decide(room, elsewhere[0], 'npm test');
    expect(await all(room)).toEqual([]);
    await decide(room, one, 'npm test', { scope: 'always', pattern: 'npm test' });
    expect(await all(room)).toEqual([]);
    const [grant] = await grants(room);
    await room.do('revokeGrant', { grantId: grant?.id });
    expect(await patterns(room)).toEqual(['npm test']);
  });
});

describe('[POL15] never suggested is', () => {
  it('what was ever denied, by whatever pattern and wherever', async () => {
    const room = await openRoom();
    const [one] = await room.running();
    const [two] = await room.running({ cwd: '/' });
    const cwd = await cwdOf(room, one);
    await decideTimes(room, one, 5, 'npm test');
    expect(await patterns(room)).toEqual(['npm test']);
    await decide(room, two, 'npm test', { decision: 'deny' });
    expect(await all(room)).toEqual([]);
    await decideTimes(room, one, 5, 'npm test');
    expect(await all(room)).toEqual([]);

    for (const name of ['a', 'b', 'c', 'd']) await decide(room, one, file(`${cwd}/src/${name}.ts`));
    expect(await patterns(room)).toEqual([`${cwd}/src/*`]);
    await decide(room, one, file(`${cwd}/src/a.ts`), { decision: 'deny' });
    expect(await all(room)).toEqual([]);
    // A denial that came before counts, too.
    await decide(room, one, file(`${cwd}/lib/a.ts`), { decision: 'deny' });
    for (const name of ['b', 'c', 'd']) await decide(room, one, file(`${cwd}/lib/${name}.ts`));
    expect(await all(room)).toEqual([]);
  });

  it.each([
    'npm test && npm run build',
    'npm test > out.txt',
    'echo $(date)',
    'sudo ls',
    'bash build.sh',
    'python3 x.py',
    'node x.js',
    'make test',
    'npx vitest',
    'git push',
    'rm -rf ~/x',
    'cat .env',
    'ls \u200bx',
  ])('%s', async (command) => {
    const room = await openRoom();
    const [id] = await room.running();
    await decideTimes(room, id, 4, command);
    expect(await all(room)).toEqual([]);
  });

  it('what a grant decided, what was edited, sensitive files, and what needs a person', async () => {
    const room = await openRoom();
    const [id] = await room.running();
    const cwd = await cwdOf(room, id);
    await decideTimes(room, id, 4, file(`${cwd}/package.json`));
    await decideTimes(room, id, 4, file('/etc/hosts'));
    const subject = { kind: 'command', value: 'npm test' } as const;
    await decideTimes(room, id, 4, { subject, input: { command: 'npm test' }, requiresPerson: true });
    await room.do('giveTrust', { session: id, minutes: 5 });
    for (const request of ['g1', 'g2', 'g3', 'g4']) await room.asks(id, bashAsk(request, 'npm run lint'));
    await room.do('endTrust', { session: id });
    for (let time = 0; time < 4; time += 1)
      await decide(room, id, 'npm run types', { updatedInput: { command: 'npm run other' } });
    expect(await all(room)).toEqual([]);
  });

  it('what was decided in a session that was removed, or is ephemeral', async () => {
    const room = await openRoom();
    const [id] = await room.running();
    const [short] = await room.running({ ephemeral: true });
    await decideTimes(room, id, 4, 'npm test');
    await decideTimes(room, short, 4, 'npm run build');
    expect(await patterns(room)).toEqual(['npm test']);
    await room.do('stop', { session: id });
    await room.until('it may be removed', () => room.driver.agent(id).exited);
    await room.do('deleteSession', { session: id });
    expect(await all(room)).toEqual([]);
  });
});

describe('[POL16] a suggestion', () => {
  it('that is taken allows there, and nowhere else', async () => {
    const room = await openRoom();
    const [one] = await room.running();
    const [two] = await room.running({ cwd: '/' });
    await decideTimes(room, one, 3, 'npm test');
    const [suggestion] = await all(room);
    await room.do('acceptSuggestion', { suggestionId: suggestion?.id });
    expect(await grants(room)).toMatchObject([
      {
        pattern: 'npm test',
        literal: true,
        scope: 'always',
        directory: suggestion?.directory,
        by: person.actor,
      },
    ]);
    expect(await all(room)).toEqual([]);
    expect((await room.asks(one, bashAsk('here', 'npm test'))).status).toBe('resolved');
    expect((await room.asks(one, bashAsk('other', 'npm test x'))).status).toBe('open');
    expect((await room.asks(two, bashAsk('there', 'npm test'))).status).toBe('open');
    expect(await room.refused('acceptSuggestion', { suggestionId: suggestion?.id })).toMatchObject({
      code: 'suggestion_not_found',
    });
  });

  it('taken on its card answers the ask, and allows in its directory', async () => {
    const room = await openRoom();
    const [one] = await room.running();
    const [two] = await room.running({ cwd: '/' });
    await decide(room, one, 'npm test', { scope: 'always', pattern: 'npm test', onlyHere: true });
    expect(await grants(room)).toMatchObject([{ directory: await cwdOf(room, one) }]);
    expect((await room.asks(one, bashAsk('here', 'npm test'))).status).toBe('resolved');
    const { interactionId: requestId, status } = await room.asks(two, bashAsk('there', 'npm test'));
    expect(status).toBe('open');
    expect(
      await room.refused('approve', { session: two, requestId, scope: 'session', onlyHere: true }),
    ).toMatchObject({ code: 'invalid_value', details: { field: 'onlyHere' } });
  });

  it('for a directory of this machine holds in no directory of another', () => {
    const grant: Grant = {
      id: GrantId.parse('grant_1'),
      toolName: 'Bash',
      pattern: 'npm test',
      literal: true,
      subjectKind: 'command',
      scope: 'always',
      directory: '/shop',
      createdAt: '2026-01-01T00:00:00Z',
      by: person.actor,
    };
    const holdsIn = (machine: string | null): boolean => {
      const place = workplaceOf({ cwd: '/link', realCwd: '/shop', machine });
      return findGrant([grant], bashAsk('r', 'npm test'), '2026-01-01T00:00:00Z', place) !== undefined;
    };
    expect([holdsIn(null), holdsIn('box')]).toEqual([true, false]);
  });

  it('that is not wanted is remembered, also by the next server', async () => {
    const log = memoryLog();
    const room = await openRoom({ log });
    const [id] = await room.running();
    await decideTimes(room, id, 3, 'npm test');
    const [suggestion] = await all(room);
    await room.do('declineSuggestion', { suggestionId: suggestion?.id });
    await decideTimes(room, id, 3, 'npm test');
    expect(await all(room)).toEqual([]);
    const next = await openRoom({ log, run: 'next' });
    expect(await all(next)).toEqual([]);
    expect(await next.refused('declineSuggestion', { suggestionId: suggestion?.id })).toMatchObject({
      code: 'suggestion_not_found',
    });
  });

  it('[SEC8] is not taken with the token where only devices decide', async () => {
    const room = await openRoom();
    const token = { ...person, mayDecide: false };
    const refused = { ok: false, refusal: { code: 'device_required' } };
    for (const name of ['acceptSuggestion', 'declineSuggestion'] as const)
      expect(await room.engine.dispatch(name, { suggestionId: 'sug_1' }, token)).toMatchObject(refused);
  });
});

describe('[POL17] suggestions', () => {
  it('cost a look into a map, whatever was decided before', async () => {
    const room = await openRoom();
    const [id] = await room.running();
    for (let time = 0; time < 90; time += 1) await decide(room, id, `npm run task-${time % 30}`);
    const { interactionId } = await room.asks(id, bashAsk('last', 'npm run task-1'));
    const of = { sessionId: id, interactionId };
    expect((await room.do('listSuggestions', of)).body.suggestions).toHaveLength(1);
    const { log } = room;
    const cwd = await cwdOf(room, id);
    const history = new AskHistory({ log, session: () => ({ cwd, ephemeral: false }) });
    await history.read();
    const times = 1000;
    const spent = processorTime(() => {
      for (let time = 0; time < times; time += 1)
        history.suggestionFor(bashAsk('r', `npm run task-${time % 30}`), { cwd }, () => true);
    });
    expect(spent / times).toBeLessThan(1);
  });
});

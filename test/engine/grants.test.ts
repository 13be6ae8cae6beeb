import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Grant, GrantPreview } from '../../src/protocol/grant.ts';
import type { Interaction } from '../../src/protocol/interaction.ts';
import { type EngineRoom, endRoomsAfterEach, openRoom, person } from '../support/engine-room.ts';
import { bashAsk } from '../support/session-states.ts';

endRoomsAfterEach();

const grants = async (room: EngineRoom): Promise<Grant[]> =>
  (await room.do('listGrants')).body.grants as Grant[];
const approve = async (
  room: EngineRoom,
  id: string,
  request: string,
  command: string,
  more: Record<string, unknown>,
) => {
  const { interactionId } = await room.asks(id, bashAsk(request, command));
  return room.do('approve', { session: id, requestId: interactionId, decision: 'allow', ...more });
};
/** Lets the agent ask and says who answers; a grant does so in the same breath. */
const answeredBy = async (
  room: EngineRoom,
  id: string,
  request: string,
  command: string,
): Promise<string> => {
  const { interactionId, status } = await room.asks(id, bashAsk(request, command));
  if (status === 'open') return 'nobody';
  const decided = room.all(id, 'interaction.decided').find((event) => event.interactionId === interactionId);
  return decided?.by.kind ?? 'nobody';
};

describe('[GRANT1] standing approvals', () => {
  it('always: in every session, with each use on record; nobody is asked', async () => {
    const room = await openRoom();
    const [one] = await room.running();
    await approve(room, one, 'r1', 'npm test a', { scope: 'always', pattern: 'npm test *' });
    const [grant] = await grants(room);
    expect(grant).toMatchObject({
      toolName: 'Bash',
      pattern: 'npm test *',
      scope: 'always',
      by: person.actor,
      createdAt: room.clock.now(),
    });
    const [two, agent] = await room.running();
    const asked = room.announcements('approval-requested').length;
    expect(await answeredBy(room, two, 'r1', 'npm test b')).toBe('grant');
    await room.event(two, 'interaction.resolved');
    expect(agent.answers()).toMatchObject([{ decision: { type: 'allow' } }]);
    expect(room.all(two, 'interaction.decided')).toMatchObject([
      { outcome: 'allowed', by: { kind: 'grant', grantId: grant?.id } },
    ]);
    expect(room.announcements('approval-requested')).toHaveLength(asked);
    expect(room.announcements('approval-resolved').at(-1)).toMatchObject({
      data: { by: { kind: 'grant' }, decision: 'allow' },
    });
    expect(await answeredBy(room, two, 'r2', 'npm test b; rm -rf /')).toBe('nobody');
  });

  it('for this session: here and nowhere else, and until it stops', async () => {
    const room = await openRoom();
    const [one] = await room.running();
    await approve(room, one, 'r1', 'ls', { scope: 'session' });
    expect(await answeredBy(room, one, 'r2', 'ls')).toBe('grant');
    const [two] = await room.running();
    expect(await answeredBy(room, two, 'r1', 'ls')).toBe('nobody');
    expect(await grants(room)).toMatchObject([{ scope: 'session', sessionId: one }]);
    await room.do('stop', { session: one });
    expect(await grants(room)).toEqual([]);
    await room.do('resume', { session: one });
    await room.until('a new process', () => room.driver.agent(one).exited === false);
    room.driver.agent(one).ready();
    expect(await answeredBy(room, one, 'r3', 'ls')).toBe('nobody');
  });

  it('until its end: then it is neither listed nor used', async () => {
    const room = await openRoom();
    const [id] = await room.running();
    await approve(room, id, 'r1', 'ls', { scope: 'always', expiresAt: '2026-01-01T01:00:00Z' });
    room.clock.pass(3_599_000);
    expect(await answeredBy(room, id, 'r2', 'ls')).toBe('grant');
    room.clock.pass(1000);
    expect(await answeredBy(room, id, 'r3', 'ls')).toBe('nobody');
    expect(await grants(room)).toEqual([]);
  });

  it('[GRANT5] never for what needs a person', async () => {
    const room = await openRoom();
    const [id] = await room.running();
    await approve(room, id, 'r1', 'ls', { scope: 'always' });
    const forced = await room.asks(id, bashAsk('r2', 'ls', { requiresPerson: true }));
    expect(forced.status).toBe('open');
    const refusal = await room.refused('approve', {
      session: id,
      requestId: forced.interactionId,
      decision: 'allow',
      scope: 'always',
    });
    expect(refusal).toMatchObject({ code: 'invalid_value', details: { field: 'scope' } });
  });

  it('a refused grant decides nothing', async () => {
    const room = await openRoom();
    const [id, agent] = await room.running();
    const { interactionId } = await room.asks(id, bashAsk('r1', 'ls'));
    const refusal = await room.refused('approve', {
      session: id,
      requestId: interactionId,
      decision: 'allow',
      scope: 'always',
      pattern: 'cat *',
    });
    expect(refusal.details?.field).toBe('pattern');
    expect((await room.interaction(id, interactionId)).status).toBe('open');
    expect(agent.answers()).toEqual([]);
    expect(await grants(room)).toEqual([]);
  });
});

describe('[GRANT4] revoking', () => {
  it.each(['always', 'session'])('%s: the next ask goes to a person', async (scope) => {
    const room = await openRoom();
    const [id] = await room.running();
    await approve(room, id, 'r1', 'ls', { scope });
    const [grant] = await grants(room);
    expect((await room.do('revokeGrant', { grantId: grant?.id })).body).toEqual({ status: 'ok' });
    expect(await grants(room)).toEqual([]);
    expect(await answeredBy(room, id, 'r2', 'ls')).toBe('nobody');
    expect((await room.refused('revokeGrant', { grantId: grant?.id })).code).toBe('grant_not_found');
  });

  it('of what is none', async () => {
    const room = await openRoom();
    expect((await room.refused('revokeGrant', { grantId: 'none' })).code).toBe('grant_not_found');
    expect((await room.refused('revokeGrant', {})).code).toBe('malformed_request');
  });
});

describe('[GRANT2] the preview', () => {
  it('shows which earlier asks a pattern would have answered, newest first, of all sessions', async () => {
    const room = await openRoom();
    const [one] = await room.running();
    const [two] = await room.running();
    await room.asks(one, bashAsk('r1', 'git status'));
    await room.asks(two, bashAsk('r1', 'git status -s'));
    await room.asks(one, bashAsk('r2', 'git status; rm -rf /'));
    await room.asks(one, bashAsk('r3', 'git status', { requiresPerson: true }));
    await room.asks(one, bashAsk('r4', 'git status', { toolName: 'PowerShell' }));
    await room.asks(one, bashAsk('r5', 'git push'));
    const preview = async (pattern: string, toolName = 'Bash') =>
      ((await room.do('previewGrant', { toolName, pattern })).body.matches as Interaction[]).map((match) => [
        match.sessionId,
        match.title,
      ]);
    expect(await preview('git status*')).toEqual([
      [two, 'Run git status -s'],
      [one, 'Run git status'],
    ]);
    expect(await preview('git status; rm -rf /')).toEqual([[one, 'Run git status; rm -rf /']]);
    expect(await preview('nothing*')).toEqual([]);
    expect((await room.refused('previewGrant', { toolName: 'Bash' })).code).toBe('malformed_request');
  });

  it('shows what is there in a directory of the session, what is excepted, and no more than was named', async () => {
    const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'beckon-')));
    try {
      for (const name of ['src', '.git', 'away']) mkdirSync(join(cwd, name));
      for (const name of ['src/a.ts', 'src/b.ts', '.git/config', 'package.json', '.env'])
        writeFileSync(join(cwd, name), '');
      symlinkSync('/etc', join(cwd, 'link'));
      const room = await openRoom();
      const [id] = await room.running({ cwd });
      const asks = (request: string, value: string) =>
        room.asks(id, bashAsk(request, 'x', { toolName: 'Write', subject: { kind: 'path', value } }));
      const { interactionId } = await asks('r1', `${cwd}/src/a.ts`);
      const preview = async (pattern: string): Promise<GrantPreview> =>
        (await room.do('previewGrant', { toolName: 'Write', pattern, sessionId: id, interactionId }))
          .body as unknown as GrantPreview;
      const wide = await preview(`${cwd}/*`);
      expect(wide.matches).toHaveLength(1);
      expect(wide.reach).toEqual({
        also: [`${cwd}/src/b.ts`],
        not: expect.arrayContaining([`${cwd}/.git`, `${cwd}/package.json`, `${cwd}/.env`]),
        files: { also: 2, not: 3, isAll: true },
      });
      expect(wide.offers).toEqual([`${cwd}/src/a.ts`, `${cwd}/src/*`]);
      expect((await preview(`${cwd}/src/a.ts`)).reach).toEqual({ also: [], not: [] });
      expect((await preview('/etc/*')).reach.files).toBeUndefined();
      expect((await preview('/etc/*')).warnings).toMatchObject([{ code: 'wide-directory', about: '/etc/' }]);
    } finally {
      rmSync(cwd, { recursive: true });
    }
  });

  it('[GRANT9] warns of what a pattern lets through, in the preview and in the reply to the approval', async () => {
    const room = await openRoom();
    const [id] = await room.running();
    const { interactionId } = await room.asks(id, bashAsk('r1', 'sudo npm test'));
    const warnings = [{ code: 'runs-any-program', about: 'sudo' }];
    const toolName = 'Bash';
    const named = { toolName, sessionId: id, interactionId };
    const { body } = await room.do('previewGrant', { ...named, pattern: 'sudo *' });
    expect(body).toMatchObject({ warnings, offers: ['sudo npm test'] });
    expect((await room.do('previewGrant', { toolName, pattern: 'sudo *' })).body).toMatchObject({
      warnings,
      offers: [],
    });
    const allowed = { session: id, requestId: interactionId, decision: 'allow', scope: 'session' };
    expect((await room.do('approve', { ...allowed, pattern: 'sudo *' })).body).toMatchObject({ warnings });
    const plain = await approve(room, id, 'r2', 'ls -l', { scope: 'session', pattern: 'ls *' });
    expect(plain.body).not.toHaveProperty('warnings');
  });

  it('[GRANT9] knows under which names anyone can have one', async () => {
    const room = await openRoom();
    const [id] = await room.running();
    const offers = async (request: string, value: string) => {
      const ask = bashAsk(request, 'x', { toolName: 'WebFetch', subject: { kind: 'host', value } });
      const { interactionId } = await room.asks(id, ask);
      const named = { toolName: 'WebFetch', pattern: value, sessionId: id, interactionId };
      return (await room.do('previewGrant', named)).body.offers;
    };
    expect(await offers('r1', 'docs.example.co.uk')).toEqual(['docs.example.co.uk', '*.example.co.uk']);
    expect(await offers('r2', 'example.co.uk')).toEqual(['example.co.uk']);
    expect(await offers('r3', 'someone.github.io')).toEqual(['someone.github.io']);
  });
});

import { existsSync } from 'node:fs';
import { mkdir, realpath, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeAcpConfig } from '../support/acp-config.ts';
import { type Beckon, endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { endWatches, type Watch, watchSession } from '../support/watch.ts';

let repo: string;
let elsewhere: string;
let beckon: Beckon;

beforeEach(async () => {
  const folder = await realpath(await temporaryDirectory());
  repo = join(folder, 'repo');
  elsewhere = join(folder, 'elsewhere');
  await mkdir(join(repo, '.git/hooks'), { recursive: true });
  await mkdir(elsewhere);
  await symlink(elsewhere, join(repo, 'link'));
  await symlink(join(elsewhere, 'not-there-yet.md'), join(repo, 'dangling.md'));
  beckon = await startBeckon({ args: ['--config', await writeAcpConfig(folder)] });
});

afterEach(async () => {
  endWatches();
  await endBeckons();
});

interface Asking {
  readonly id: string;
  readonly watch: Watch;
}

async function open(agent: string): Promise<Asking> {
  const { status, body } = await beckon.api('POST', '/api/sessions', { agent, cwd: repo });
  expect(status, JSON.stringify(body)).toBe(201);
  return { id: body.session.id, watch: await watchSession(beckon, body.session.id) };
}

/** What the agent asks next. A grant answers in the same breath, so that its status tells who did. */
async function asked({ id, watch }: Asking, toolName: string) {
  const { interactionId } = await watch.event(
    'interaction.requested',
    ({ ask }) => ask.toolName === toolName,
  );
  return (await beckon.api('GET', `/api/sessions/${id}/interactions/${interactionId}`)).body.interaction;
}

const say = ({ id }: Asking, message: string) =>
  beckon.api('POST', `/api/sessions/${id}/message`, { message });
const allow = ({ id }: Asking, requestId: string, more: object = {}) =>
  beckon.api('POST', `/api/sessions/${id}/approve`, { requestId, decision: 'allow', ...more });
const deny = ({ id }: Asking, requestId: string) =>
  beckon.api('POST', `/api/sessions/${id}/deny`, { requestId });

describe('a grant for a directory, and an agent that writes', () => {
  const writes = async (session: Asking, name: string) => {
    await say(session, `write ${name}`);
    return asked(session, 'Write');
  };
  const endTurn = async (session: Asking, requestId: string) => {
    await deny(session, requestId);
    await session.watch.event('turn.ended');
  };

  it('[GRANT6] [GRANT7] lets files in it be written, and asks for what a link leads to and for what makes programs run', async () => {
    const session = await open('demo');
    const first = await writes(session, 'one.md');
    const granted = await allow(session, first.requestId, { scope: 'session', pattern: `${repo}/*` });
    expect(granted.status, JSON.stringify(granted.body)).toBe(200);
    await endTurn(session, (await asked(session, 'Edit')).requestId);

    expect(await writes(session, 'sub/two.md')).toMatchObject({ resolvedBy: { kind: 'grant' } });
    await endTurn(session, (await asked(session, 'Edit')).requestId);
    expect(existsSync(join(repo, 'sub/two.md'))).toBe(true);

    const away = await writes(session, 'link/three.md');
    expect(away).toMatchObject({
      status: 'open',
      subject: {
        kind: 'path',
        value: join(elsewhere, 'three.md'),
        asked: join(repo, 'link/three.md'),
      },
    });
    await endTurn(session, away.requestId);
    const dangling = await writes(session, 'dangling.md');
    expect(dangling).toMatchObject({
      status: 'open',
      subject: { value: join(elsewhere, 'not-there-yet.md') },
    });
    await endTurn(session, dangling.requestId);
    for (const name of ['.git/hooks/pre-commit', '.claude/settings.json', 'package.json', '.envrc']) {
      const hook = await writes(session, name);
      expect(hook, name).toMatchObject({ status: 'open' });
      await endTurn(session, hook.requestId);
      expect(existsSync(join(repo, name))).toBe(false);
    }
    expect(existsSync(join(elsewhere, 'three.md'))).toBe(false);
    expect(existsSync(join(elsewhere, 'not-there-yet.md'))).toBe(false);
  });
});

describe('a grant for exactly what was asked', () => {
  const isAnswered = async (session: Asking, toolName: string, call: object): Promise<boolean> => {
    await say(session, `permit ${JSON.stringify(call)}`);
    const interaction = await asked(session, toolName);
    if (interaction.status === 'open') await deny(session, interaction.requestId);
    await session.watch.event('turn.ended');
    return interaction.resolvedBy?.kind === 'grant';
  };
  const tool = (name: string, rawInput: object) => ({ name, title: name, kind: 'other', rawInput });

  it('[GRANT6] covers no call that differs in anything that matters', async () => {
    const session = await open('scripted');
    const grant = async (toolName: string, call: object, more: object = {}) => {
      await say(session, `permit ${JSON.stringify(call)}`);
      const { requestId } = await asked(session, toolName);
      const reply = await allow(session, requestId, { scope: 'session', ...more });
      expect(reply.status, JSON.stringify(reply.body)).toBe(200);
      await session.watch.event('turn.ended');
    };
    const glob = (pattern: string) => tool('Glob', { pattern });
    await grant('Glob', glob('**/*.ts'));
    expect(await isAnswered(session, 'Glob', glob('**/*.ts'))).toBe(true);
    expect(await isAnswered(session, 'Glob', glob('/etc/**'))).toBe(false);
    expect(await isAnswered(session, 'Glob', glob('../**/*.ts'))).toBe(false);

    const bash = (more: object) => tool('Bash', { command: 'npm test', ...more });
    await grant('Bash', bash({ description: 'Tests' }));
    expect(await isAnswered(session, 'Bash', bash({ description: 'Again', timeout: 5 }))).toBe(true);
    expect(await isAnswered(session, 'Bash', bash({ run_in_background: true }))).toBe(false);
    expect(await isAnswered(session, 'Bash', bash({ env: { PATH: '.' } }))).toBe(false);

    const deploy = (rawInput: object) => tool('deploy', rawInput);
    await grant('deploy', deploy({ branch: 'feature/a' }), { pattern: '{"branch":"feature/*"}' });
    expect(await isAnswered(session, 'deploy', deploy({ branch: 'feature/b' }))).toBe(true);
    expect(await isAnswered(session, 'deploy', deploy({ branch: 'feature/b', env: 'prod' }))).toBe(false);

    const fetched = (url: string) => tool('WebFetch', { url });
    await grant('WebFetch', fetched('https://example.org/a'));
    expect(await isAnswered(session, 'WebFetch', fetched('https://example.org/b'))).toBe(true);
    expect(await isAnswered(session, 'WebFetch', fetched('http://example.org/b'))).toBe(false);
    expect(await isAnswered(session, 'WebFetch', fetched('https://me:pw@example.org/b'))).toBe(false);
  });
});

import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { acpAgent, writeAcpConfig } from '../support/acp-config.ts';
import {
  type Beckon,
  endBeckons,
  runBeckon,
  startBeckon,
  temporaryDirectory,
} from '../support/beckon-process.ts';
import { eventually } from '../support/eventually.ts';

afterEach(endBeckons);

/** A program in the place of Claude Code: each start of it writes down the arguments and the environment that it got. */
const program = `#!/bin/sh
if [ "$1" = --version ]; then echo '9.9.9 (Claude Code)'; exit 0; fi
{ printf '%s\\n' "$@"; env; } > "$RECORD-$$.part"
read -r line
mv "$RECORD-$$.part" "$RECORD-$$"
printf '%s\\n' '{"type":"control_response","response":{"subtype":"success","request_id":"initialize","response":{}}}'
while read -r line; do :; done
`;

interface Stage {
  readonly dataDir: string;
  readonly records: string;
  configure(claude: object, more?: object): Promise<void>;
  start(): Promise<Beckon>;
  /** The lines that the next agent writes down: its arguments, then its environment. */
  next(): Promise<readonly string[]>;
}

async function stage(): Promise<Stage> {
  const dataDir = await temporaryDirectory();
  const records = await temporaryDirectory();
  const claude = join(records, 'claude');
  await writeFile(claude, program);
  await chmod(claude, 0o755);
  const seen = new Set<string>();
  return {
    dataDir,
    records,
    configure: (agent, more = {}) =>
      writeFile(
        join(dataDir, 'config.json'),
        JSON.stringify({
          ...more,
          agents: { claude: { ...agent, env: { RECORD: join(records, 'start'), ...envOf(agent) } } },
        }),
      ),
    start: () => startBeckon({ dataDir, args: ['--claude', claude], env: { BECKON_LOG: 'trace' } }),
    async next() {
      const name = await eventually('a start is written down', async () =>
        (await readdir(records)).find((file) => /^start-\d+$/.test(file) && !seen.has(file)),
      );
      seen.add(name);
      return (await readFile(join(records, name), 'utf8')).split('\n');
    },
  };
}

const envOf = (agent: object): object => ('env' in agent ? (agent.env as object) : {});

const create = async (beckon: Beckon, body: object = {}) => {
  const reply = await beckon.api('POST', '/api/sessions', { agent: 'claude', ...body });
  expect(reply.status).toBe(201);
  return reply.body.session;
};

it('[SES20] a session that says nothing starts in the mode and with the variables of the file; what it says wins', async () => {
  const { configure, start, next } = await stage();
  await configure({ permissionMode: 'plan', env: { MAX_THINKING_TOKENS: '8000', SHARED: 'file' } });
  const beckon = await start();

  expect(await create(beckon)).toMatchObject({ permissionMode: 'plan' });
  const silent = await next();
  expect(silent).toContain('--permission-mode=plan');
  expect(silent).toContain('MAX_THINKING_TOKENS=8000');
  expect(silent).toContain('SHARED=file');

  const own = { permissionMode: 'acceptEdits', env: { SHARED: 'request', MINE: 'yes' } };
  expect(await create(beckon, own)).toMatchObject({ permissionMode: 'acceptEdits' });
  const spoken = await next();
  expect(spoken).toContain('--permission-mode=acceptEdits');
  expect(spoken).toContain('MAX_THINKING_TOKENS=8000');
  expect(spoken).toContain('SHARED=request');
  expect(spoken).toContain('MINE=yes');

  const { stdout } = await beckon.run(['new', '--agent', 'claude', '--json']);
  expect(JSON.parse(stdout).session.permissionMode).toBe('plan');
  expect(await next()).toContain('--permission-mode=plan');
});

it('[SES20] a session that is started again keeps its mode, and gets the variables that the file has by then', async () => {
  const { configure, start, next } = await stage();
  await configure({ permissionMode: 'plan', env: { SHARED: 'first', GONE: 'soon' } });
  const first = await start();
  const { id } = await create(first, { env: { MINE: 'kept' } });
  await next();
  await first.stop();

  await configure({ permissionMode: 'bypassPermissions', env: { SHARED: 'second' } });
  const second = await start();
  expect((await second.api('POST', `/api/sessions/${id}/resume`)).status).toBe(200);
  const again = await next();
  expect(again).toContain('--permission-mode=plan');
  expect(again).toEqual(expect.arrayContaining(['SHARED=second', 'MINE=kept']));
  expect(again).not.toContain('GONE=soon');
  const { body } = await second.api('GET', `/api/sessions/${id}`);
  expect(body.session.permissionMode).toBe('plan');
});

it('[SES20] that a server starts agents in another mode is said by its first lines, status, agents and the API', async () => {
  const { configure, start } = await stage();
  await configure({ permissionMode: 'bypassPermissions' });
  const beckon = await start();
  const line = 'claude starts in the mode "bypassPermissions" unless a session says another';
  expect(beckon.stderr()).toContain(JSON.stringify(line).slice(1, -1));
  expect((await beckon.run(['status'])).stdout).toContain(line);
  expect((await beckon.run(['agents'])).stdout).toMatch(/^claude .*starts in the mode "bypassPermissions"/m);
  const { body } = await beckon.api('GET', '/api/agents');
  const modes = body.agents.flatMap(({ name, defaultPermissionMode: mode }: Record<string, string>) =>
    mode === undefined ? [] : [[name, mode]],
  );
  expect(modes).toEqual([['claude', 'bypassPermissions']]);
});

it('[SES20] [SEC8] where only devices decide, the token starts sessions in the mode of the file and in no other', async () => {
  const { configure, start } = await stage();
  await configure({ permissionMode: 'plan' }, { decide: 'devices' });
  const beckon = await start();
  expect(await create(beckon)).toMatchObject({ permissionMode: 'plan' });
  const other = await beckon.api('POST', '/api/sessions', { agent: 'claude', permissionMode: 'default' });
  expect(other).toMatchObject({ status: 403, body: { error: { code: 'device_required' } } });
});

it('[SES20] an agent of the Agent Client Protocol starts in its mode, and one that it turns out not to have is refused', async () => {
  const folder = await temporaryDirectory();
  const agent = { ...acpAgent(join(folder, 'home')), permissionMode: 'plan' };
  const args = ['--config', await writeAcpConfig(folder, { scripted: agent })];
  const beckon = await startBeckon({ args });
  const begin = () => beckon.api('POST', '/api/sessions', { agent: 'scripted', prompt: 'hello' });
  const { body } = await begin();
  expect(body.session.permissionMode).toBe('plan');
  const raw = `${beckon.url}/api/sessions/${body.session.id}/raw`;
  const headers = { authorization: `Bearer ${beckon.token}` };
  await eventually('the agent is told its mode', async () =>
    (await (await fetch(raw, { headers })).text()).includes('"modeId":"plan"'),
  );
  await beckon.stop();

  await writeAcpConfig(folder, { scripted: { ...agent, permissionMode: 'yolo' } });
  const other = await startBeckon({ args });
  const create = () => other.api('POST', '/api/sessions', { agent: 'scripted', prompt: 'hello' });
  expect((await create()).status).toBe(201);
  const refused = await eventually('its modes are known', async () => {
    const reply = await create();
    return reply.status === 422 && reply.body.error;
  });
  expect(refused).toMatchObject({
    code: 'invalid_value',
    message: 'The agent has no permission mode "yolo", which the server\'s configuration gives it.',
  });
});

it('[SES20] [SEC3] the variables of the file are in no reply, no line, and no other file', async () => {
  const { configure, start, next, dataDir } = await stage();
  const secret = 'sk-of-the-file';
  await configure({ permissionMode: 'plan', env: { KEY: secret } });
  const beckon = await start();
  const { id } = await create(beckon, { prompt: 'hello' });
  expect(await next()).toContain(`KEY=${secret}`);
  const replies = await Promise.all(
    ['/api/agents', '/api/sessions', `/api/sessions/${id}`, `/api/sessions/${id}/events`, '/api/health'].map(
      (path) => beckon.api('GET', path),
    ),
  );
  const raw = await fetch(`${beckon.url}/api/sessions/${id}/raw`, {
    headers: { authorization: `Bearer ${beckon.token}` },
  });
  const status = await beckon.run(['status', '--json']);
  const agents = await beckon.run(['agents', '--json']);
  const said = [JSON.stringify(replies), await raw.text(), status.stdout, agents.stdout, beckon.stderr()];
  expect(said.join('\n')).toContain('plan');
  expect(said.join('\n')).not.toContain(secret);
  const files = (await readdir(dataDir, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  );
  const holding = await Promise.all(
    files.map(async ({ parentPath, name }) =>
      (await readFile(join(parentPath, name), 'latin1')).includes(secret) ? [name] : [],
    ),
  );
  expect(holding.flat()).toEqual(['config.json']);
});

it.each([
  [
    { agents: { claude: { permissionMode: 'plann' } } },
    '"agents.claude.permissionMode" is not valid: there is no mode "plann"; did you mean "plan"?',
  ],
  [{ agents: { claude: { env: { TOKENS: 8000 } } } }, '"agents.claude.env.TOKENS" must be a text'],
  [{ agents: { claude: { env: { 'A=B': 'x' } } } }, '"agents.claude.env.A=B" is not valid'],
  [
    { agents: { claude: { permisionMode: 'plan' } } },
    '"agents.claude.permisionMode" is not known here; did you mean "agents.claude.permissionMode"?',
  ],
  [
    { agents: { cluade: { permissionMode: 'plan' } } },
    '"agents.cluade" is not valid: there is no agent "cluade"; did you mean "claude"?',
  ],
  [
    { askTimeout: { softSecond: 5 } },
    '"askTimeout.softSecond" is not known here; did you mean "askTimeout.softSeconds"?',
  ],
  [{ prot: 4590 }, '"prot" is not known here; did you mean "port"?'],
])('[SES20] a file with %j is refused with its path and the key', async (config, sentence) => {
  const dataDir = await temporaryDirectory();
  const path = join(dataDir, 'config.json');
  await writeFile(path, JSON.stringify(config));
  const { code, stdout, stderr } = await runBeckon([
    'serve',
    '--port',
    '0',
    '--data-dir',
    dataDir,
    '--no-open',
  ]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(`${path}: ${sentence}`);
});

it('[SES20] a file that is no JSON is refused without a word of what is in it', async () => {
  const dataDir = await temporaryDirectory();
  await writeFile(join(dataDir, 'config.json'), '{"agents": {"claude": {"env": {"KEY": sk-secret}}}}');
  const { code, stderr } = await runBeckon(['serve', '--port', '0', '--data-dir', dataDir, '--no-open']);
  expect(code).toBe(1);
  expect(stderr).toContain('config.json is no JSON');
  expect(stderr).not.toContain('secret');
});

import { expect, test } from 'vitest';
import { agentEnvironment } from '../../src/drivers/process/agent-environment.ts';

test("[PEER9] npm's variables and PATH entries are taken out, the person's own stay", () => {
  const env = agentEnvironment(
    {
      PATH: '/work/app/node_modules/.bin:/work/node_modules/.bin:/usr/lib/npm/node_modules/@npmcli/run-script/lib/node-gyp-bin:/home/me/bin:/usr/bin',
      HOME: '/home/me',
      npm_execpath: '/usr/lib/npm/cli.js',
      npm_config_user_agent: 'npm/11',
      npm_node_execpath: '/usr/bin/node',
      NODE: '/usr/bin/node',
      INIT_CWD: '/work/app',
      COLOR: '1',
      NODE_OPTIONS: '--max-old-space-size=4096',
      NODE_ENV: 'production',
    },
    { platform: 'linux' },
  );
  expect(env).toEqual({
    PATH: '/home/me/bin:/usr/bin',
    HOME: '/home/me',
    NODE_OPTIONS: '--max-old-space-size=4096',
    NODE_ENV: 'production',
  });
});

test('[PEER9] without npm in the game, PATH and its neighbours are as they were', () => {
  const own = {
    PATH: '/me/node_modules/.bin:./node_modules/.bin::/bin',
    NODE: '/my/node',
    COLOR: '0',
    INIT_CWD: '/x',
  };
  expect(agentEnvironment(own, { platform: 'linux' })).toEqual(own);
});

test("[PEER9] a relative node_modules/.bin is the person's own, also under npm", () => {
  const env = agentEnvironment(
    { PATH: 'node_modules/.bin:/a/node_modules/.bin/:/bin', npm_command: 'run' },
    { platform: 'linux' },
  );
  expect(env.PATH).toBe('node_modules/.bin:/bin');
});

test("[PEER9] Beckon's secrets do not reach an agent", () => {
  expect(
    agentEnvironment({ BECKON_TOKEN: 'secret', BECKON_DATA_DIR: '/d', BECKON_PROCESS: 'x/y', A: 'b' }),
  ).toEqual({ A: 'b' });
});

test('[PEER9] an agent started inside another does not take itself for a part of it', () => {
  const env = agentEnvironment({
    CLAUDECODE: '1',
    CLAUDE_CODE_ENTRYPOINT: 'cli',
    GIT_EDITOR: 'true',
    CLAUDE_CONFIG_DIR: '/home/me/.claude-work',
    CLAUDE_CODE_USE_BEDROCK: '1',
    ANTHROPIC_API_KEY: 'mine',
  });
  expect(env).toEqual({
    CLAUDE_CONFIG_DIR: '/home/me/.claude-work',
    CLAUDE_CODE_USE_BEDROCK: '1',
    ANTHROPIC_API_KEY: 'mine',
  });
  expect(agentEnvironment({ GIT_EDITOR: 'true' })).toEqual({ GIT_EDITOR: 'true' });
});

test('[PEER9] what a test runner put in is taken out', () => {
  expect(agentEnvironment({ VITEST: 'true', VITEST_POOL_ID: '1', NODE_ENV: 'test', A: 'b' })).toEqual({
    A: 'b',
  });
  expect(agentEnvironment({ NODE_ENV: 'test' })).toEqual({ NODE_ENV: 'test' });
});

test("[PEER9] the session's own environment is added last", () => {
  const env = agentEnvironment(
    { A: 'server', B: 'server', GONE: undefined },
    { sessionEnv: { B: 'session', npm_token: 'asked for' } },
  );
  expect(env).toEqual({ A: 'server', B: 'session', npm_token: 'asked for' });
});

test('[PEER9] on Windows the path may be spelled in any case', () => {
  const env = agentEnvironment(
    { Path: 'C:\\app\\node_modules\\.bin;C:\\Windows', npm_command: 'run' },
    { platform: 'win32' },
  );
  expect(env).toEqual({ Path: 'C:\\Windows' });
});

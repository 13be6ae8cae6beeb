import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ClaudeSdkDriverOptions, claudeSdkDriver } from '../../../src/drivers/claude-sdk/driver.ts';
import type { AgentSdk, SdkOptions, SdkQuery } from '../../../src/drivers/claude-sdk/sdk-types.ts';
import { SessionId } from '../../../src/protocol/ids.ts';
import type { AgentStart } from '../../../src/runner/ports/agent-driver.ts';
import { FactRecorder } from '../../support/fact-recorder.ts';
import { ScriptedHost } from './scripted-process.ts';
import { installSdk, installSdkProgram } from './sdk-package.ts';

let dir: string;
let host: ScriptedHost;

beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'beckon-sdk-')));
  host = new ScriptedHost();
});

afterEach(async () => {
  await host.close();
  rmSync(dir, { recursive: true, force: true });
});

const driver = (options: Partial<ClaudeSdkDriverOptions> = {}) =>
  claudeSdkDriver({ processes: host, environment: { PATH: dir }, directories: [dir], ...options });

function installProgram(): string {
  const path = join(dir, 'claude');
  writeFileSync(path, '#!/bin/sh\necho "2.1.325 (Claude Code)"\n', { mode: 0o755 });
  return path;
}

const someStart = (): AgentStart => ({
  processId: randomUUID(),
  sessionId: SessionId.parse('s1'),
  cwd: dir,
  env: {},
  permissionMode: null,
  model: null,
  resume: null,
  tools: null,
});

function begin(options: Partial<ClaudeSdkDriverOptions>, start: Partial<AgentStart> = {}) {
  const facts = new FactRecorder();
  const connection = driver(options).start({ ...someStart(), ...start }, facts.report);
  return { facts, connection };
}

const refusal = (words: string): Promise<never> => Promise.reject(new Error(words));

/** An SDK that starts its program and then does as the test says. */
function sdkThat(does: (options: SdkOptions) => Partial<SdkQuery>): AgentSdk {
  return {
    query({ options }) {
      const signal = new AbortController().signal;
      options.spawnClaudeCodeProcess({ command: 'claude', args: [], cwd: dir, env: options.env, signal });
      const never = new Promise<never>(() => {});
      return {
        next: () => never,
        initializationResult: () => never,
        interrupt: () => never,
        setPermissionMode: () => never,
        setModel: () => never,
        close() {},
        ...does(options),
      };
    },
  };
}

describe('the package', () => {
  test('[PEER2] one that is not installed makes the agent unavailable, with the reason', async () => {
    installProgram();
    expect(await driver().probe()).toMatchObject({
      name: 'claude-sdk',
      label: 'Claude (Agent SDK)',
      available: false,
      reason: 'The package @anthropic-ai/claude-agent-sdk is not installed',
    });
    const { facts } = begin({});
    expect((await facts.of('exited')).startError).toContain('is not installed');
    expect(facts.types()).toEqual(['exited']);
  });

  test('[PEER2] one that is too old is named with the version that is needed', async () => {
    installProgram();
    installSdk(dir, '0.3.9');
    const agent = await driver().probe();
    expect(agent.available).toBe(false);
    expect(agent.reason).toMatch(/0\.3\.9 is too old: 0\.3\.\d+ or newer/);
    const { facts } = begin({});
    expect((await facts.of('exited')).startError).toContain('too old');
  });

  test('[PEER2] it works with the person’s own program, or with the one it brings', async () => {
    installSdk(dir);
    expect(await driver().probe()).toMatchObject({
      available: false,
      reason:
        'There is no program "claude", and @anthropic-ai/claude-agent-sdk was installed without its own',
    });
    installSdkProgram(dir);
    expect(await driver().probe()).toMatchObject({ available: true, version: '2.1.325' });
    expect(await driver({ program: join(dir, 'other') }).probe()).toMatchObject({ available: false });
    installProgram();
    expect(await driver().probe()).toMatchObject({ available: true, version: '2.1.325' });
  });

  test('[SES7] one that cannot be loaded is told as the reason that nothing started', async () => {
    const program = installProgram();
    installSdk(dir, '0.3.400', 'throw new Error("half of it is missing");');
    const { facts } = begin({ program });
    expect((await facts.of('exited')).startError).toContain('half of it is missing');
  });

  test('[SES7] one that offers nothing to call is told, too', async () => {
    const program = installProgram();
    installSdk(dir, '0.3.401', 'export const other = 1;');
    const { facts } = begin({ program });
    expect((await facts.of('exited')).startError).toContain('offers no query()');
  });
});

describe('an SDK that fails', () => {
  beforeEach(() => {
    installProgram();
    installSdk(dir);
  });

  test('[SES7] by throwing at once', async () => {
    const loader = async (): Promise<AgentSdk> => ({
      query() {
        throw new Error('no such option');
      },
    });
    const { facts, connection } = begin({ loader });
    expect((await facts.of('exited')).startError).toContain('no such option');
    await expect(connection.interrupt()).rejects.toThrow();
    await connection.close();
    expect(facts.types()).toEqual(['exited']);
  });

  test('[SES7] by ending early: its program is ended, too', async () => {
    const loader = async () =>
      sdkThat(() => ({ next: async () => ({ value: undefined, done: true as const }) }));
    const { facts } = begin({ loader });
    await facts.of('exited');
    expect(host.started.map(({ wasEnded }) => wasEnded)).toEqual([true]);
  });

  test.each([
    ['when it is asked whether it is ready', { initializationResult: () => refusal('another language') }],
    ['when it reads', { next: () => refusal('another language') }],
  ])('[SES7] while it starts, %s: the words are the reason', async (_, failing) => {
    const { facts } = begin({ loader: async () => sdkThat(() => failing) });
    expect((await facts.of('exited')).startError).toContain('another language');
    expect(facts.types()).toEqual(['exited']);
    expect(host.started[0]?.wasEnded).toBe(true);
  });

  test('[SES7] in the middle: it is said, and the session can be resumed', async () => {
    const failing = Promise.withResolvers<never>();
    failing.promise.catch(() => {});
    const loader = async () =>
      sdkThat(() => ({ next: () => failing.promise, initializationResult: async () => ({}) }));
    const { facts } = begin({ loader });
    await facts.of('ready');
    failing.reject(new Error('lost count'));
    const exited = await facts.of('exited');
    expect(exited.startError).toBeUndefined();
    expect(facts.every('diagnostic')).toMatchObject([
      { code: 'sdk-failed', text: expect.stringContaining('lost count') },
    ]);
    expect(host.started[0]?.wasEnded).toBe(true);
  });

  test('[SES7] by not noticing that its program is gone', async () => {
    const loader = async () => sdkThat(() => ({ initializationResult: async () => ({}) }));
    const { facts } = begin({ loader });
    await facts.of('ready');
    host.started[0]?.exit(7);
    expect(await facts.of('exited')).toMatchObject({ code: 7 });
  });
});

describe('the way to the tools', () => {
  const key = 'a-key-that-nobody-may-see';
  const tools = { url: 'http://127.0.0.1:4590/mcp', key, unasked: ['ask_user'] };

  test('[TOOL11] [SEC3] their key is in a file only the owner reads, in no option and no argument, and goes with the agent', async () => {
    installProgram();
    installSdk(dir);
    const toolConfigs = join(dir, 'mcp');
    let seen: SdkOptions | undefined;
    const loader = async () =>
      sdkThat((options) => {
        seen = options;
        return { initializationResult: async () => ({}) };
      });
    const { facts, connection } = begin({ loader, toolConfigs }, { tools });
    await facts.of('ready');
    const file = seen?.extraArgs['mcp-config'] ?? '';
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      mcpServers: { beckon: { type: 'http', url: tools.url, headers: { Authorization: `Bearer ${key}` } } },
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(seen?.allowedTools).toEqual(['mcp__beckon__ask_user']);
    expect(host.started[0]?.spec.env.MCP_CONNECTION_NONBLOCKING).toBe('0');
    expect(JSON.stringify(seen)).not.toContain(key);
    expect(JSON.stringify(host.started[0]?.spec)).not.toContain(key);
    await connection.close();
    expect(existsSync(file)).toBe(false);
  });
});

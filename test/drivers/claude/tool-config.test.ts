import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { claudeDriver } from '../../../src/drivers/claude/driver.ts';
import {
  clearToolConfigs,
  removeToolConfig,
  writeToolConfig,
} from '../../../src/drivers/claude/tool-config.ts';
import { demoDriver } from '../../../src/drivers/demo/driver.ts';
import { LocalProcessHost } from '../../../src/drivers/process/local-process-host.ts';
import type { SessionId } from '../../../src/protocol/ids.ts';
import type { AgentStart } from '../../../src/runner/ports/agent-driver.ts';
import { FactRecorder } from '../../support/fact-recorder.ts';
import { ScriptedHost } from '../claude-sdk/scripted-process.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'beckon-config-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const access = { url: 'http://127.0.0.1:1/mcp/s1', key: 'the-key', unasked: [] };
const someStart = (): AgentStart => ({
  processId: 'run_1',
  sessionId: 'ses_1' as SessionId,
  cwd: folder,
  env: {},
  permissionMode: null,
  model: null,
  resume: null,
  tools: access,
});
const modeOf = (path: string): number => statSync(path).mode & 0o777;

test('[SEC3] the way to the tools is in a file for its owner alone', () => {
  const path = writeToolConfig(join(folder, 'mcp'), 'run_1', access);
  expect([modeOf(path), modeOf(join(folder, 'mcp'))]).toEqual([0o600, 0o700]);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
    mcpServers: {
      beckon: { type: 'http', url: access.url, headers: { Authorization: 'Bearer the-key' } },
    },
  });
  removeToolConfig(join(folder, 'mcp'), 'run_1');
  removeToolConfig(join(folder, 'mcp'), 'run_1');
  expect(readdirSync(join(folder, 'mcp'))).toEqual([]);
});

test('[SEC3] a file of wider rights that is there already is not written into', () => {
  const path = join(folder, 'run_1.json');
  writeFileSync(path, '', { mode: 0o644 });
  expect(writeToolConfig(folder, 'run_1', access)).toBe(path);
  expect(modeOf(path)).toBe(0o600);
});

test('[SEC3] a name cannot lead out of the folder', () => {
  expect(writeToolConfig(folder, '../../run', access).startsWith(`${folder}/`)).toBe(true);
});

test('[SEC3] what no process needs any more is cleared, and the rest is kept', () => {
  for (const id of ['run_1', 'run_2', 'run_3']) writeToolConfig(folder, id, access);
  clearToolConfigs(folder, ['run_2', 'run_3']);
  expect(readdirSync(folder).sort()).toEqual(['run_2.json', 'run_3.json']);
  expect(() => clearToolConfigs(join(folder, 'nowhere'), [])).not.toThrow();
});

test('[TOOL11] an agent whose tools cannot be written down works without them, and says so', async () => {
  writeFileSync(join(folder, 'file'), '');
  const processes = new LocalProcessHost({ dataDir: folder });
  const toolConfigs = join(folder, 'file', 'mcp');
  const home = join(folder, 'home');
  const driver = demoDriver({ processes, environment: process.env, home, toolConfigs });
  const facts = new FactRecorder();
  const connection = driver.start(someStart(), facts.report);
  const said = await facts.of('said');
  expect(said.event).toMatchObject({ level: 'warning', code: 'tools-missing' });
  expect(JSON.stringify(said)).not.toContain('the-key');
  await facts.of('ready');
  await connection.close();
  await processes.close();
});

describe('[TOOL11] Claude Code waits for the tools with its first turn', () => {
  /** The setting in the environment of an agent that is started so. */
  async function waitingOf(
    start: Partial<AgentStart>,
    environment: Readonly<Record<string, string>> = {},
    toolConfigs = join(folder, 'mcp'),
  ): Promise<string | undefined> {
    const program = join(folder, 'claude');
    writeFileSync(program, '', { mode: 0o755 });
    const processes = new ScriptedHost();
    const driver = claudeDriver({ processes, environment, program, toolConfigs });
    driver.start({ ...someStart(), ...start }, new FactRecorder().report);
    await processes.close();
    expect(processes.started).toHaveLength(1);
    return processes.started[0]?.spec.env.MCP_CONNECTION_NONBLOCKING;
  }

  test('it is told so where it is given tools, and only there', async () => {
    expect(await waitingOf({})).toBe('0');
    expect(await waitingOf({ tools: null })).toBeUndefined();
    expect(await waitingOf({}, {}, join(folder, 'claude', 'no-folder'))).toBeUndefined();
  });

  test('what the person has set wins, for the server or for the session', async () => {
    expect(await waitingOf({}, { MCP_CONNECTION_NONBLOCKING: '1' })).toBe('1');
    expect(await waitingOf({ env: { MCP_CONNECTION_NONBLOCKING: 'true' } })).toBe('true');
  });
});

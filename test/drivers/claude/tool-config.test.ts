import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
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

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'beckon-config-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const access = { url: 'http://127.0.0.1:1/mcp/s1', key: 'the-key', unasked: [] };
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
  const start: AgentStart = {
    processId: 'run_1',
    sessionId: 'ses_1' as SessionId,
    cwd: folder,
    env: {},
    permissionMode: null,
    model: null,
    resume: null,
    tools: access,
  };
  const connection = driver.start(start, facts.report);
  const said = await facts.of('said');
  expect(said.event).toMatchObject({ level: 'warning', code: 'tools-missing' });
  expect(JSON.stringify(said)).not.toContain('the-key');
  await facts.of('ready');
  await connection.close();
  await processes.close();
});

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { acpAgents, readConfigFile } from '../../src/cli/config-file.ts';
import { knownAgents } from '../../src/drivers/acp/known-agents.ts';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'beckon-agents-'));
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

function install(name: string): { PATH: string } {
  mkdirSync(join(dir, 'bin'), { recursive: true });
  const program = join(dir, 'bin', name);
  writeFileSync(program, '#!/bin/sh\n');
  chmodSync(program, 0o755);
  return { PATH: join(dir, 'bin') };
}

async function configured(agents: unknown) {
  const path = join(dir, 'config.json');
  writeFileSync(path, JSON.stringify({ agents }));
  return (await readConfigFile(path, true, { HOME: '/home/ada' })).agents;
}

test('of the known agents those on PATH are offered, and only those', () => {
  expect(acpAgents({}, { PATH: join(dir, 'nothing') })).toEqual([]);
  expect(acpAgents({}, install('gemini'))).toEqual([
    { name: 'gemini', label: 'Gemini CLI', command: 'gemini', args: ['--acp'] },
  ]);
});

test('a configured agent is offered whether its program is there or not', async () => {
  const agents = await configured({
    mine: { driver: 'acp', command: 'my-agent', args: ['--stdio'], env: { A: 'b' }, label: 'My agent' },
    other: { driver: 'acp', command: './bin/other' },
    home: { driver: 'acp', command: '~/agent' },
  });
  expect(acpAgents(agents, { PATH: '' })).toEqual([
    { name: 'mine', label: 'My agent', command: 'my-agent', args: ['--stdio'], env: { A: 'b' } },
    { name: 'other', label: 'other', command: join(dir, 'bin/other'), args: [] },
    { name: 'home', label: 'home', command: '/home/ada/agent', args: [] },
  ]);
});

test('a known agent takes what the configuration says of it, and is left out when it is disabled', async () => {
  const env = install('gemini');
  const withKey = await configured({ gemini: { env: { GEMINI_API_KEY: 'k' } } });
  expect(acpAgents(withKey, env)).toEqual([{ ...knownGemini, env: { GEMINI_API_KEY: 'k' } }]);
  const elsewhere = await configured({ gemini: { command: 'gem', args: ['-x'] } });
  expect(acpAgents(elsewhere, env)).toEqual([{ ...knownGemini, command: 'gem', args: ['-x'] }]);
  expect(acpAgents(await configured({ gemini: { enabled: false } }), env)).toEqual([]);
});

test('what cannot be meant is refused, in words', async () => {
  const agents = async (entries: unknown) => acpAgents(await configured(entries), {});
  await expect(agents({ mine: { driver: 'acp' } })).rejects.toThrow(
    `${join(dir, 'config.json')}: "agents.mine" is not valid: it has no "command"`,
  );
  await expect(agents({ mine: { command: 'x' } })).rejects.toThrow('has a "command" and no "driver"');
  await expect(agents({ claude: { driver: 'acp', command: 'x' } })).rejects.toThrow('"claude" is built in');
  await expect(agents({ mine: { driver: 'telepathy' } })).rejects.toThrow('agents.mine.driver');
  await expect(agents({ 'a b': { driver: 'acp', command: 'x' } })).rejects.toThrow('no name for an agent');
  expect(await agents({ demo: { enabled: false } })).toEqual([]);
});

const knownGemini = knownAgents.find(({ name }) => name === 'gemini');

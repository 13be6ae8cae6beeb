import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { acpAgents, readConfigFile } from '../../src/cli/config-file.ts';
import { knownAgents } from '../../src/drivers/acp/known-agents.ts';
import { acpAgentDriver } from '../../src/drivers/acp/when-installed.ts';
import { LocalProcessHost } from '../../src/drivers/process/local-process-host.ts';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'beckon-agents-'));
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** As npm does it: the program lies in its package, and a link to it on PATH. */
function install(command: string, packageName = command, version = '1.2.3'): { PATH: string } {
  const folder = join(dir, 'node_modules', packageName);
  mkdirSync(folder, { recursive: true });
  mkdirSync(join(dir, 'bin'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: packageName, version }));
  writeFileSync(join(folder, 'main.js'), '#!/bin/sh\n');
  chmodSync(join(folder, 'main.js'), 0o755);
  symlinkSync(join(folder, 'main.js'), join(dir, 'bin', command));
  return { PATH: join(dir, 'bin') };
}

async function listed(name: string, PATH: string) {
  const agent = knownAgents.find((known) => known.name === name);
  if (!agent) throw new Error(`${name} is not known`);
  const processes = new LocalProcessHost({ dataDir: dir });
  return acpAgentDriver({ agent, environment: { PATH }, processes, version: '1' });
}

async function configured(agents: unknown) {
  const path = join(dir, 'config.json');
  writeFileSync(path, JSON.stringify({ agents }));
  return (await readConfigFile(path, true, { HOME: '/home/ada' })).agents;
}

test('[SES23] an agent that is known by name is listed without its program, with how to install it and to sign in', async () => {
  const gemini = await listed('gemini', join(dir, 'bin'));
  expect(await gemini.probe()).toMatchObject({
    name: 'gemini',
    label: 'Gemini CLI',
    available: false,
    reason: 'There is no program "gemini"',
    install: 'npm install -g @google/gemini-cli',
    signIn: { command: 'gemini', variable: 'GEMINI_API_KEY' },
    asking: { byDefault: 'always', mode: 'default' },
  });
  install('gemini', '@google/gemini-cli', '0.61.0');
  expect(await gemini.probe()).toMatchObject({ available: true, version: '0.61.0' });
});

test('[SES23] of two agents whose programs have one name, the one that is installed is offered', async () => {
  const { PATH } = install('codex-acp', '@zed-industries/codex-acp');
  const available = async (name: string) => (await (await listed(name, PATH)).probe()).available;
  expect(await available('codex')).toBe(false);
  expect(await available('codex-zed')).toBe(true);
});

test('[SES23] a program that comes with no package is taken for the first of its name', async () => {
  mkdirSync(join(dir, 'bin'));
  writeFileSync(join(dir, 'bin', 'codex-acp'), '#!/bin/sh\n', { mode: 0o755 });
  expect(await (await listed('codex', join(dir, 'bin'))).probe()).toMatchObject({ available: true });
  expect(await (await listed('codex-zed', join(dir, 'bin'))).probe()).toMatchObject({ available: false });
});

test('[SES23] every known agent says whether it asks; those that never do, whether something makes them ask', () => {
  const never = knownAgents.filter(({ asking }) => asking?.byDefault === 'never');
  expect(never.map(({ name }) => name)).toEqual(['opencode', 'pi', 'goose']);
  const sometimes = knownAgents.filter(({ asking }) => asking?.byDefault === 'sometimes');
  expect(sometimes.every(({ asking }) => asking?.mode !== undefined)).toBe(true);
});

test('a configured agent is offered whether its program is there or not', async () => {
  const agents = await configured({
    mine: { driver: 'acp', command: 'my-agent', args: ['--stdio'], env: { A: 'b' }, label: 'My agent' },
    other: { driver: 'acp', command: './bin/other' },
    home: { driver: 'acp', command: '~/agent' },
  });
  const offered = acpAgents(agents);
  expect(offered.slice(3)).toEqual(knownAgents);
  expect(offered.slice(0, 3)).toEqual([
    { name: 'mine', label: 'My agent', command: 'my-agent', args: ['--stdio'], env: { A: 'b' } },
    { name: 'other', label: 'other', command: join(dir, 'bin/other'), args: [] },
    { name: 'home', label: 'home', command: '/home/ada/agent', args: [] },
  ]);
});

test('a known agent takes what the configuration says of it, and is left out when it is disabled', async () => {
  const gemini = async (settings: unknown) =>
    acpAgents(await configured({ gemini: settings })).filter(({ name }) => name === 'gemini');
  expect(await gemini({ env: { GEMINI_API_KEY: 'k' } })).toEqual([
    { ...knownGemini, env: { GEMINI_API_KEY: 'k' } },
  ]);
  const { package: _, ...elsewhere } = knownGemini ?? {};
  expect(await gemini({ command: 'gem', args: ['-x'] })).toEqual([
    { ...elsewhere, command: 'gem', args: ['-x'] },
  ]);
  expect(await gemini({ enabled: false })).toEqual([]);
});

test('what cannot be meant is refused, in words', async () => {
  const agents = async (entries: unknown) => acpAgents(await configured(entries));
  await expect(agents({ mine: { driver: 'acp' } })).rejects.toThrow(
    `${join(dir, 'config.json')}: "agents.mine" is not valid: it has no "command"`,
  );
  await expect(agents({ mine: { command: 'x' } })).rejects.toThrow('has a "command" and no "driver"');
  await expect(agents({ claude: { driver: 'acp', command: 'x' } })).rejects.toThrow('"claude" is built in');
  await expect(agents({ mine: { driver: 'telepathy' } })).rejects.toThrow('agents.mine.driver');
  await expect(agents({ 'a b': { driver: 'acp', command: 'x' } })).rejects.toThrow('no name for an agent');
  expect(await agents({ demo: { enabled: false } })).toEqual(knownAgents);
});

const knownGemini = knownAgents.find(({ name }) => name === 'gemini');

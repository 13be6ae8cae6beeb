/**
 * Records what agents print in a handful of scenes, as `record-wire.ts` does, for those that are not installed for the tests. Run by
 * hand: `node test/other-agents/record-others.ts copilot-1.0 …/copilot --acp --stdio`.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join, resolve } from 'node:path';
import { isRecord, type Json } from '../real-agents/model-dialect.ts';
import type { ModelRequest } from '../real-agents/model-request.ts';
import { type ModelStandIn, type Reply, text, toolUse } from '../real-agents/model-stand-in.ts';
import { openWorkplace } from '../real-agents/workplace.ts';
import { RawAcp } from './raw-acp.ts';
import { recordedAgents } from './recorded-agents.ts';
import { startToolServer } from './tool-server.ts';

const fixtures = join(import.meta.dirname, '..', 'fixtures', 'acp-wire');

interface Scene {
  reply(cwd: string): Reply;
  /** What becomes of its asks: they are allowed, unless it is said. */
  readonly answer?: 'reject_once';
  /** How often it is said: once, unless it is said. */
  readonly turns?: number;
}

const finished: Reply = [text('Finished.')];

const call = (name: string, input: Json): Reply => [toolUse(name, { ...input }, finished)];

const scenesOf: Record<keyof typeof recordedAgents, Record<string, Scene>> = {
  copilot: {
    command: {
      reply: () => call('bash', { command: 'echo hello; touch made.txt', description: 'Say hello' }),
    },
    denied: {
      reply: () => call('bash', { command: 'touch made.txt', description: 'Touch' }),
      answer: 'reject_once',
    },
    'file-created': {
      reply: (cwd) => call('create', { path: join(cwd, 'new.txt'), file_text: 'hello\n' }),
    },
    'file-edited': {
      reply: (cwd) => call('edit', { path: join(cwd, 'a.txt'), old_str: 'two', new_str: '2' }),
    },
    'own-tool': { reply: () => call('beckon-ask_user', { question: 'Which?' }) },
    'two-turns': { reply: () => finished, turns: 2 },
  },
  kimi: {
    command: { reply: () => call('Bash', { command: 'echo hello; touch made.txt' }) },
    denied: { reply: () => call('Bash', { command: 'touch made.txt' }), answer: 'reject_once' },
    'file-created': { reply: () => call('Write', { path: 'new.txt', content: 'hello\n' }) },
    'file-edited': {
      reply: () => [
        toolUse(
          'Read',
          { path: 'a.txt' },
          call('Edit', { path: 'a.txt', old_string: 'two', new_string: '2' }),
        ),
      ],
    },
    'own-tool': { reply: () => call('mcp__beckon__ask_user', { question: 'Which?' }) },
    steps: { reply: () => call('TodoList', { todos: [{ title: 'Look', status: 'in_progress' }] }) },
    'two-turns': { reply: () => finished, turns: 2 },
    question: {
      reply: () =>
        call('AskUserQuestion', {
          questions: [
            { question: 'Which?', header: 'Colour', options: [{ label: 'Green' }, { label: 'Blue' }] },
          ],
        }),
    },
  },
  cline: {
    command: { reply: () => call('run_commands', { commands: ['echo hello; touch made.txt'] }) },
    denied: { reply: () => call('run_commands', { commands: ['touch made.txt'] }), answer: 'reject_once' },
    'two-commands': { reply: () => call('run_commands', { commands: ['echo one', 'echo two'] }) },
    'file-created': { reply: (cwd) => call('editor', { path: join(cwd, 'new.txt'), new_text: 'hello\n' }) },
    'file-edited': {
      reply: (cwd) => call('editor', { path: join(cwd, 'a.txt'), old_text: 'two', new_text: '2' }),
    },
  },
  pi: {
    command: { reply: () => call('bash', { command: 'echo hello; touch made.txt' }) },
    failed: { reply: () => call('bash', { command: 'echo hello; exit 3' }) },
    'file-created': { reply: () => call('write', { path: 'new.txt', content: 'hello\n' }) },
    'file-edited': {
      reply: () => call('edit', { path: 'a.txt', edits: [{ oldText: 'two', newText: '2' }] }),
    },
  },
};

const [version = '', command = '', ...args] = process.argv.slice(2);
const name = version.replace(/-.*/, '');
if (!isKnown(name) || command === '')
  throw new Error(`Which of ${Object.keys(recordedAgents).join(', ')} with its version, and where?`);
for (const [scene, how] of Object.entries(scenesOf[name])) {
  const lines = await record(name, how);
  await mkdir(join(fixtures, version), { recursive: true });
  await writeFile(join(fixtures, version, `${scene}.jsonl`), lines);
  console.log(`${version}/${scene}: ${lines.split('\n').length - 1} lines`);
}

async function record(agentName: keyof typeof recordedAgents, scene: Scene): Promise<string> {
  const { folder, cwd, env, model, close } = await openWorkplace(recordedAgents[agentName]);
  teach(model, scene.reply(cwd));
  await writeFile(join(cwd, 'a.txt'), 'one\ntwo\nthree\n');
  const tools = await startToolServer();
  const PATH = [dirname(command), env.PATH].join(delimiter);
  const agent = new RawAcp({
    command,
    args,
    cwd,
    env: { ...env, PATH },
    answer: scene.answer ?? 'allow_once',
  });
  try {
    const { result: initialized } = await agent.request('initialize', {
      protocolVersion: 1,
      clientCapabilities: {},
    });
    const mcpServers = takesHttp(initialized) ? [tools.server] : [];
    const { result } = await agent.request('session/new', { cwd, mcpServers });
    const sessionId = isRecord(result) ? result.sessionId : undefined;
    for (let turn = 0; turn < (scene.turns ?? 1); turn += 1)
      await agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'go' }] });
    const printed = agent.lines.filter(isTelling).map((line) => `${JSON.stringify(line)}\n`);
    return neutral(printed.join(''), [
      [cwd, '/work'],
      [folder, '/recorded'],
      [resolve(dirname(command), '..', '..'), '/programs'],
      [String(sessionId), 'session-1'],
    ]);
  } finally {
    await agent.kill();
    await tools.close();
    await close();
  }
}

function teach(model: ModelStandIn, reply: Reply): void {
  const isSaid = ({ texts }: ModelRequest) => texts.some((each) => /(^|\n)go$/.test(each));
  model.on((request) => isSaid(request) && request.toolResults.length === 0, reply);
}

function takesHttp(initialized: unknown): boolean {
  return JSON.stringify(initialized ?? {}).includes('"http":true');
}

/** Lists of commands are long, and the same each time. */
function isTelling(line: Json): boolean {
  return !JSON.stringify(line).includes('"available_commands_update"');
}

function neutral(lines: string, names: readonly (readonly [string, string])[]): string {
  return names.reduce((told, [from, to]) => told.replaceAll(from, to), lines);
}

function isKnown(agentName: string): agentName is keyof typeof recordedAgents {
  return Object.hasOwn(recordedAgents, agentName);
}

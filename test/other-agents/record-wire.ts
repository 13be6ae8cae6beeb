/**
 * Records what an agent prints in a handful of scenes, as fixtures for the tests of translation. Run by hand after a version was
 * added, with the path of its program: `node test/other-agents/record-wire.ts zed-codex-0.16 …/codex-acp`.
 */
import { writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord } from '../real-agents/model-dialect.ts';
import { type ModelStandIn, text, toolUse } from '../real-agents/model-stand-in.ts';
import { type ModelAccess, openWorkplace } from '../real-agents/workplace.ts';
import { codex } from './codex.ts';
import { opencode } from './opencode.ts';
import { RawAcp } from './raw-acp.ts';
import { plainEnvironment } from './real-agent.ts';
import { responsesWire } from './responses-wire.ts';
import { startToolServer } from './tool-server.ts';

const fixtures = join(import.meta.dirname, '..', 'fixtures', 'acp-wire');

interface Recording extends ModelAccess {
  readonly args: readonly string[];
  readonly scenes: Readonly<Record<string, Scene>>;
}

interface Scene {
  script(model: ModelStandIn, cwd: string): void;
  /** What the person says, one turn after the other: `go`, unless it is said. */
  readonly prompts?: readonly string[];
  /** What becomes of its asks: they are allowed, unless it is said. */
  readonly answer?: 'reject_once';
}

const [name = '', command = ''] = process.argv.slice(2);
const recording = recordings()[name];
if (!recording || command === '')
  throw new Error(`Which of ${Object.keys(recordings()).join(', ')}, and where?`);
for (const [scene, how] of Object.entries(recording.scenes)) {
  const lines = await record(recording, how);
  await mkdir(join(fixtures, name), { recursive: true });
  await writeFile(join(fixtures, name, `${scene}.jsonl`), lines);
  console.log(`${name}/${scene}: ${lines.split('\n').length - 1} lines`);
}

async function record({ args, ...access }: Recording, scene: Scene): Promise<string> {
  const { folder, cwd, env, model, close } = await openWorkplace(access);
  scene.script(model, cwd);
  await writeFile(join(cwd, 'a.txt'), 'one\ntwo\nthree\n');
  const tools = await startToolServer();
  const agent = new RawAcp({ command, args, cwd, env, answer: scene.answer ?? 'allow_once' });
  try {
    await agent.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
    const { result } = await agent.request('session/new', { cwd, mcpServers: [tools.server] });
    const sessionId = isRecord(result) ? result.sessionId : undefined;
    for (const said of scene.prompts ?? ['go'])
      await agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: said }] });
    const printed = agent.lines.map((line) => `${JSON.stringify(line, shortened)}\n`).join('');
    return printed.replaceAll(cwd, '/work').replaceAll(folder, '/recorded');
  } finally {
    await agent.kill();
    await tools.close();
    await close();
  }
}

/** Lists of all that could be chosen run to hundreds of entries that say nothing about the wire. */
function shortened(key: string, value: unknown): unknown {
  const isLong = ['availableCommands', 'availableModels', 'options'].includes(key) && Array.isArray(value);
  return isLong ? value.slice(0, 4) : value;
}

function recordings(): Record<string, Recording> {
  const codexScenes: Record<string, Scene> = {
    command: { script: (model) => model.on('go', [escalated('echo hello; exit 3')]) },
    'command-twice': {
      script: (model) =>
        model.on('go', [escalated('touch made.txt')]).on('again', [escalated('touch made.txt')]),
      prompts: ['go', 'again'],
    },
    denied: { script: (model) => model.on('go', [escalated('touch made.txt')]), answer: 'reject_once' },
    'file-created': { script: (model) => model.on('go', [patch('*** Add File: new.txt\n+hello')]) },
    'file-edited': {
      script: (model) => model.on('go', [patch('*** Update File: a.txt\n@@\n one\n-two\n+2\n three')]),
    },
    'own-tool': {
      script: (model) =>
        model.on('go', [toolUse('mcp__beckon.ask_user', { question: 'Which?' }, [text('Thanks.')])]),
    },
    'model-error': {
      script: (model) =>
        model.on('go', { status: 400, kind: 'invalid_request_error', message: 'told to fail' }),
    },
  };
  return {
    'zed-codex-0.16': {
      args: [],
      dialect: responsesWire,
      environment({ baseUrl, home }) {
        const provider = `name = "Stand-in"\nbase_url = "${baseUrl}/v1"\nwire_api = "responses"\nrequest_max_retries = 0`;
        const config = `model = "gpt-5.5"\nmodel_provider = "standin"\n[model_providers.standin]\n${provider}\n`;
        writeFileSync(join(home, 'config.toml'), config);
        // It puts no programs of its own below the directory for temporary files; its sandbox needs them.
        return { ...plainEnvironment(home), TMPDIR: '/tmp', CODEX_HOME: home, NO_BROWSER: '1' };
      },
      scenes: {
        ...codexScenes,
        steps: {
          script: (model) =>
            model.on('go', [
              toolUse('update_plan', { plan: [{ step: 'Look', status: 'in_progress' }] }, [text('On it.')]),
            ]),
        },
      },
    },
    'codex-2.6': {
      dialect: codex.dialect,
      environment: (options) => ({
        ...codex.environment(options),
        TMPDIR: '/tmp',
        INITIAL_AGENT_MODE: 'read-only',
      }),
      args: codex.agent.args,
      scenes: {
        ...codexScenes,
        listing: {
          script: (model) => model.on('go', [toolUse('exec_command', { cmd: 'ls' }, [text('Listed.')])]),
        },
      },
    },
    'opencode-1.18': {
      dialect: opencode.dialect,
      environment: opencode.environment,
      args: opencode.agent.args,
      scenes: {
        command: { script: (model) => model.on('go', [bash('echo hello; exit 3')]) },
        'file-created': {
          script: (model, cwd) => model.on('go', [write('write', cwd, 'new.txt', { content: 'hello\n' })]),
        },
        'file-edited': {
          script: (model, cwd) => {
            const edit = write('edit', cwd, 'a.txt', { oldString: 'two', newString: '2' });
            model.on('go', [toolUse('read', { filePath: join(cwd, 'a.txt') }, [edit])]);
          },
        },
        'own-tool': {
          script: (model) =>
            model.on('go', [toolUse('beckon_ask_user', { question: 'Which?' }, [text('Thanks.')])]),
        },
        steps: {
          script: (model) => {
            const todos = [{ content: 'Look', status: 'in_progress', priority: 'high' }];
            model.on('go', [toolUse('todowrite', { todos }, [text('On it.')])]);
          },
        },
        'sub-agent': {
          script: (model) => {
            const task = { description: 'Look', prompt: 'Look around', subagent_type: 'general' };
            model
              .on('go', [toolUse('task', task, [text('Delegated.')])])
              .on('Look around', [text('All is well.')]);
          },
        },
      },
    },
  };
}

function bash(command: string) {
  return toolUse('bash', { command, description: 'A command' }, [text('Finished.')]);
}

function write(tool: string, cwd: string, file: string, input: Record<string, string>) {
  return toolUse(tool, { filePath: join(cwd, file), ...input }, [text('Finished.')]);
}

function escalated(cmd: string) {
  const input = { cmd, sandbox_permissions: 'require_escalated', justification: 'It must' };
  return toolUse('exec_command', input, [text('Finished.')]);
}

function patch(lines: string) {
  const words = `*** Begin Patch\n${lines}\n*** End Patch\n`;
  return toolUse('apply_patch', { words }, [text('Finished.')]);
}

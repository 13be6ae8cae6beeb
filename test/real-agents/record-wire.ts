/**
 * Records what the real programs print in a handful of scenes, as fixtures for the tests of translation.
 * Run by hand after a version was added: `node test/real-agents/record-wire.ts`.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ClaudeProgram, claudePrograms } from './claude-program.ts';
import { failure, gate, type ModelStandIn, text, thinking, toolUse } from './model-stand-in.ts';
import { type Ask, isAsk, isResult, type Line, RawClaude } from './raw-claude.ts';
import { openWorkplace } from './workplace.ts';

const fixtures = join(import.meta.dirname, '..', 'fixtures', 'claude-wire');
const firstMessage = '00000000-0000-4000-8000-000000000001';
const secondMessage = '00000000-0000-4000-8000-000000000002';

const questions = [
  {
    question: 'Which database?',
    header: 'Database',
    multiSelect: false,
    options: [
      { label: 'Postgres', description: 'A server' },
      { label: 'SQLite', description: 'A file' },
    ],
  },
  {
    question: 'Which extras?',
    header: 'Extras',
    multiSelect: true,
    options: [
      { label: 'Search', description: 'Full text' },
      { label: 'Backup', description: 'Every night' },
    ],
  },
];

for (const program of claudePrograms()) {
  const folder = join(fixtures, program.version);
  await mkdir(folder, { recursive: true });
  for (const [name, scene] of Object.entries(scenes())) {
    const lines = await record(program, scene);
    const body = lines.map((line) => `${JSON.stringify(shortened(line))}\n`).join('');
    await writeFile(join(folder, `${name}.ndjson`), body);
    console.log(`${program.version}/${name}: ${lines.length} lines, ${body.length} bytes`);
  }
}

interface Scene {
  readonly args?: readonly string[];
  script(model: ModelStandIn): void;
  play(claude: RawClaude): Promise<void>;
}

function scenes(): Record<string, Scene> {
  const hold = gate();
  const touch = toolUse('Bash', { command: 'touch made.txt', description: 'Make a file' }, [
    text('Finished.'),
  ]);
  return {
    'plain-text': {
      script: (model) => model.on('go', [thinking('Let me ', 'think.'), text('Hello, ', 'world.')]),
      play: async (claude) => void (await claude.next('result', isResult)),
    },
    'bash-allow': {
      script: (model) => model.on('go', [text('I make a file.'), touch]),
      play: async (claude) => {
        allow(claude, await claude.next('ask', isAsk));
        await claude.next('result', isResult);
      },
    },
    'bash-deny': {
      script: (model) => model.on('go', [text('I make a file.'), touch]),
      play: async (claude) => {
        const { request_id } = await claude.next('ask', isAsk);
        claude.respond(request_id, { behavior: 'deny', message: 'Not in this folder.' });
        await claude.next('result', isResult);
      },
    },
    'bash-deny-interrupt': {
      script: (model) => model.on('go', [text('I make a file.'), touch]),
      play: async (claude) => {
        const { request_id } = await claude.next('ask', isAsk);
        claude.respond(request_id, { behavior: 'deny', message: 'Stop.', interrupt: true });
        await claude.next('result', isResult);
      },
    },
    'ask-user-question': {
      script: (model) =>
        model.on('go', [toolUse('AskUserQuestion', { questions }, [text('Postgres it is.')])]),
      play: async (claude) => {
        const ask = await claude.next('ask', isAsk);
        const answers = { 'Which database?': 'Postgres', 'Which extras?': 'Search, something else' };
        allow(claude, ask, { updatedInput: { ...ask.request.input, answers } });
        await claude.next('result', isResult);
      },
    },
    'interrupt-mid-stream': {
      script: (model) => model.on('go', [text('One, ', hold.opened, 'two.')]),
      play: async (claude) => {
        await claude.next('a delta', isTextDelta);
        claude.request('interrupt-1', { subtype: 'interrupt' });
        await claude.next('result', isResult);
      },
    },
    'interrupt-ask-open': {
      script: (model) => model.on('go', [text('I make a file.'), touch]),
      play: async (claude) => {
        await claude.next('ask', isAsk);
        claude.request('interrupt-1', { subtype: 'interrupt' });
        await claude.next('result', isResult);
      },
    },
    'steer-mid-turn': {
      script: (model) => model.on('go', [touch]),
      play: async (claude) => {
        const ask = await claude.next('ask', isAsk);
        claude.say('Hurry, please', { uuid: secondMessage, priority: 'next' });
        allow(claude, ask);
        await claude.next('result', isResult);
      },
    },
    'plan-approve': {
      args: ['--permission-mode', 'plan'],
      script: (model) =>
        model.on('go', (request) => {
          const [path = ''] =
            /\/[^\s"`\\]*\.claude\/plans\/[^\s"`\\]+\.md/.exec(JSON.stringify(request.body)) ?? [];
          const exit = toolUse('ExitPlanMode', {}, [text('On to it.')]);
          return [toolUse('Write', { file_path: path, content: '# Plan\n\n1. Make a file\n' }, [exit])];
        }),
      play: async (claude) => {
        const setMode = { type: 'setMode', mode: 'acceptEdits', destination: 'session' };
        allow(claude, await claude.next('ask', isAsk), { updatedPermissions: [setMode] });
        await claude.next('result', isResult);
      },
    },
    'sub-agent-ask': {
      script: (model) => model.on('go', [subAgent(false)]).on('Make the file', [touch]),
      play: async (claude) => {
        allow(claude, await claude.next('ask', isAsk));
        await claude.next('result', isResult);
      },
    },
    'sub-agent-background': {
      script: (model) => model.on('go', [subAgent(true)]).on('Make the file', [touch]),
      play: async (claude) => {
        const ask = await claude.next('ask', isAsk);
        if (!claude.lines.some(isResult)) await claude.next('the first result', isResult);
        allow(claude, ask);
        await claude.next(
          'the result of the turn no one asked for',
          (line) => isResult(line) && 'origin' in line,
        );
      },
    },
    'api-error': {
      script: (model) =>
        model.on('go', failure(400, 'invalid_request_error', 'The prompt is not to our taste')),
      play: async (claude) => void (await claude.next('result', isResult)),
    },
  };
}

async function record(program: ClaudeProgram, scene: Scene): Promise<Line[]> {
  const { home, cwd, model, close } = await openWorkplace();
  const args = scene.args ?? [];
  const claude = new RawClaude({ program, baseUrl: model.url, home, cwd, args });
  try {
    scene.script(model);
    claude.say('go', { uuid: firstMessage });
    await scene.play(claude);
    claude.endInput();
    await claude.closed;
    return claude.lines;
  } finally {
    await claude.kill();
    await close();
  }
}

function subAgent(background: boolean) {
  const input = { description: 'Make a file', prompt: 'Make the file', subagent_type: 'general-purpose' };
  return toolUse('Agent', { ...input, run_in_background: background }, [text('The helper works.')]);
}

function allow(claude: RawClaude, ask: Ask, extra: Record<string, unknown> = {}): void {
  claude.respond(ask.request_id, { behavior: 'allow', updatedInput: ask.request.input, ...extra });
}

function isTextDelta(line: Line): boolean {
  return line.type === 'stream_event' && JSON.stringify(line).includes('"text_delta"');
}

/** The lists in `system/init` run to several hundred entries that say nothing about the wire. */
function shortened(line: Line): Line {
  if (line.type !== 'system' || line.subtype !== 'init') return line;
  const entries = Object.entries(line).map(([key, value]) => [
    key,
    Array.isArray(value) ? value.slice(0, 4) : value,
  ]);
  return Object.fromEntries(entries) as Line;
}

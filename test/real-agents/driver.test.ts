import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claudeDriver } from '../../src/drivers/claude/driver.ts';
import { LocalProcessHost } from '../../src/drivers/process/local-process-host.ts';
import { driverContract, type Scenario } from '../contracts/driver-contract.ts';
import { claudeEnvironment, claudePrograms } from './claude-program.ts';
import { failure, type ModelStandIn, startModelStandIn, text, toolUse } from './model-stand-in.ts';

const scenario: Scenario = {
  reply: 'Say a few words',
  command: 'Touch the file',
  question: 'Ask me',
  endless: 'Never stop',
  twoAtOnce: 'Fetch both',
  subAgent: 'Delegate it',
  modelError: 'Fail',
  plan: 'Make a plan',
  sleeper: 'Start the sleeper',
};

for (const program of claudePrograms()) {
  driverContract(`Claude Code ${program.version}`, async () => {
    const dir = realpathSync(mkdtempSync(join(tmpdir(), 'beckon-claude-')));
    const cwd = mkdtempSync(join(dir, 'work-'));
    const home = mkdtempSync(join(dir, 'home-'));
    const model = await startModelStandIn();
    teach(model, cwd);
    const processes = new LocalProcessHost({ dataDir: dir });
    return {
      driver: claudeDriver({
        processes,
        environment: claudeEnvironment({ baseUrl: model.url, home }),
        program: program.path,
      }),
      scenario,
      cwd,
      env: {},
      otherModel: 'claude-haiku-4-5',
      async close() {
        await processes.close();
        await model.close();
        rmSync(dir, { recursive: true, force: true });
      },
    };
  });
}

function teach(model: ModelStandIn, cwd: string): void {
  const inSub = 'Touch a file for me';
  model
    .on(scenario.reply, [text('A few ', 'words, ', 'as asked.')])
    .on(scenario.command, [bash('touch asked.txt', 'Touched.')])
    .on(scenario.endless, [text('And on ', new Promise(() => {}))])
    .on(scenario.modelError, failure(400, 'invalid_request_error', 'told to fail'))
    .on(scenario.twoAtOnce, [fetchOf('http://a.test/'), fetchOf('http://b.test/')])
    .on(scenario.sleeper, [bash("setsid sh -c 'echo $$ > sleeper.pid; exec sleep 600' & wait", 'Slept.')])
    .on(scenario.question, [toolUse('AskUserQuestion', { questions }, [text('Thank you.')])])
    .on(scenario.plan, [
      toolUse('ExitPlanMode', { plan: '# A plan' }, [
        toolUse('Write', { file_path: join(cwd, 'planned.txt'), content: 'As planned\n' }, [
          text('Carried out.'),
        ]),
      ]),
    ])
    .on(scenario.subAgent, [
      toolUse(
        'Agent',
        {
          description: 'Touch it',
          prompt: inSub,
          subagent_type: 'general-purpose',
          run_in_background: false,
        },
        [text('It is done.')],
      ),
    ])
    .on(inSub, [bash('touch sub.txt', 'Touched in there.')]);
}

const questions = [
  {
    question: 'Which size?',
    header: 'Size',
    options: [
      { label: 'Big', description: 'More of it' },
      { label: 'Huge', description: 'Even more' },
    ],
    multiSelect: false,
  },
  {
    question: 'Which colours?',
    header: 'Colours',
    options: [
      { label: 'Red', description: 'Like a rose' },
      { label: 'Blue', description: 'Like the sea' },
    ],
    multiSelect: true,
  },
];

function bash(command: string, after: string) {
  return toolUse('Bash', { command, description: 'A command' }, [text(after)]);
}

function fetchOf(url: string) {
  return toolUse('WebFetch', { url, prompt: 'What does it say?' }, [text('Both are done.')]);
}

import { join } from 'node:path';
import type { Scenario } from '../contracts/agent-driver-contract.ts';
import { failure, type ModelStandIn, text, toolUse } from './model-stand-in.ts';
import { question } from './question.ts';

/** What the stand-in is taught to play for the driver contract, whichever driver Claude is reached by. */
export const scenario: Scenario = {
  reply: 'Say a few words',
  command: 'Touch the file',
  question: 'Ask me',
  endless: 'Never stop',
  twoAtOnce: 'Fetch both',
  subAgent: 'Delegate it',
  modelError: 'Fail',
  plan: 'Make a plan',
  sleeper: 'Start the sleeper',
  slash: 'context',
};

/**
 * What follows a plan waits for the change of mode: by ACP the mode to go on in is asked for when the plan is left, and
 * no sooner, while the model goes on.
 */
export function teach(model: ModelStandIn, cwd: string, modeChanged: Promise<void>): void {
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
        text('I go on.', modeChanged),
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
  question('Which size?', ['Big', 'Huge']),
  question('Which colours?', ['Red', 'Blue'], true),
];

function bash(command: string, after: string) {
  return toolUse('Bash', { command, description: 'A command' }, [text(after)]);
}

function fetchOf(url: string) {
  return toolUse('WebFetch', { url, prompt: 'What does it say?' }, [text('Both are done.')]);
}

import { failure, text, toolUse } from '../real-agents/model-stand-in.ts';
import { acpContract } from './acp-contract.ts';
import { opencode } from './opencode.ts';

const scenario = {
  reply: 'Say a few words',
  command: 'Touch the file',
  question: 'Ask me',
  endless: 'Never stop',
  twoAtOnce: 'Run both',
  subAgent: 'Delegate it',
  modelError: 'Fail',
  plan: 'Make a plan',
  sleeper: 'Start the sleeper',
  slash: 'init',
};

acpContract(opencode, {
  scenario,
  otherModel: 'standin/other',
  editingMode: 'plan',
  refusedModes: ['nonsense'],
  cannot: {
    question: 'It gives its model no tool for questions over ACP',
    subAgent: 'What a sub-agent asks never leaves it over ACP: the call hangs',
    twoAtOnce: 'It asks for one call after the other',
    plan: 'It does not ask whether a plan may be left',
  },
  teach(model) {
    model
      .on(scenario.reply, [text('A few ', 'words, ', 'as asked.')])
      .on(scenario.command, [bash('touch asked.txt', 'Touched.')])
      .on(scenario.endless, [text('And on ', new Promise(() => {}))])
      .on(scenario.modelError, failure(400, 'invalid_request_error', 'told to fail'))
      .on(scenario.twoAtOnce, [bash('touch one.txt', 'Both.'), bash('touch two.txt', 'Both.')])
      .on(scenario.sleeper, [bash("setsid sh -c 'echo $$ > sleeper.pid; exec sleep 600' & wait", 'Slept.')]);
  },
});

function bash(command: string, after: string) {
  return toolUse('bash', { command, description: 'A command' }, [text(after)]);
}

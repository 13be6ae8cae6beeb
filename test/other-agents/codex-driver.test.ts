import { text, toolUse } from '../real-agents/model-stand-in.ts';
import { acpContract } from './acp-contract.ts';
import { codex } from './codex.ts';

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
  slash: 'status',
};

acpContract(codex, {
  scenario,
  otherModel: 'gpt-6.1-sol',
  askingMode: 'read-only',
  editingMode: 'workspace-write',
  refusedModes: ['nonsense'],
  afterDenial: 'interrupted',
  cannot: {
    question: 'It asks questions only in its collaboration mode "plan"',
    subAgent: 'What a sub-agent asks comes without a word on who asks',
    modelError: 'It tells the error as a text of its own, and ends the turn as completed',
    plan: 'It plans in a collaboration mode, not in a permission mode',
  },
  teach(model) {
    model
      .on(scenario.reply, [text('A few ', 'words, ', 'as asked.')])
      .on(scenario.command, [escalated('touch asked.txt', 'Touched.')])
      .on(scenario.endless, [text('And on ', new Promise(() => {}))])
      .on(scenario.twoAtOnce, [escalated('touch one.txt', 'Both.'), escalated('touch two.txt', 'Both.')])
      .on(scenario.sleeper, [
        escalated("setsid sh -c 'echo $$ > sleeper.pid; exec sleep 600' & wait", 'Slept.'),
      ]);
  },
});

function escalated(cmd: string, after: string) {
  const input = { cmd, sandbox_permissions: 'require_escalated', justification: 'It must' };
  return toolUse('exec_command', input, [text(after)]);
}

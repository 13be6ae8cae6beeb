import { join } from 'node:path';
import { failure, text, toolUse } from '../real-agents/model-stand-in.ts';
import { scenario } from '../real-agents/scenario.ts';
import { acpContract } from './acp-contract.ts';
import { forgetMinute, gemini, plansFolder } from './gemini.ts';

const shell = (command: string, after: string) =>
  toolUse('run_shell_command', { command, description: 'A command' }, [text(after)]);

acpContract(gemini, {
  scenario: { ...scenario, slash: 'about' },
  otherModel: 'gemini-3.5-flash-lite',
  editingMode: 'autoEdit',
  refusedModes: ['nonsense'],
  beforeResume: forgetMinute,
  teach: (model) =>
    model
      .on(scenario.reply, [text('A few ', 'words, ', 'as asked.')])
      .on(scenario.command, [shell('touch asked.txt', 'Touched.')])
      .on(scenario.endless, [text('And on ', new Promise(() => {}))])
      .on(scenario.modelError, failure(400, 'INVALID_ARGUMENT', 'told to fail'))
      .on(scenario.sleeper, [shell("setsid sh -c 'echo $$ > sleeper.pid; exec sleep 600' & wait", 'Slept.')])
      .on(scenario.plan, (request) => [
        toolUse('write_file', { file_path: join(plansFolder(request), 'plan.md'), content: '# A plan\n' }, [
          toolUse('exit_plan_mode', { plan_filename: 'plan.md' }, [text('I go on.')]),
        ]),
      ]),
  cannot: {
    question: 'It hides its tool for questions from its model when it is driven over ACP.',
    twoAtOnce: 'It runs the calls of one reply one after the other.',
    subAgent: 'It tells nothing of what its sub-agents do.',
  },
});

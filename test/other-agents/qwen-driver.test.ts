import { join } from 'node:path';
import { failure, text, toolUse } from '../real-agents/model-stand-in.ts';
import { question } from '../real-agents/question.ts';
import { scenario } from '../real-agents/scenario.ts';
import { acpContract } from './acp-contract.ts';
import { qwen } from './qwen.ts';

const inSub = 'Touch a file for me';
const questions = [
  question('Which size?', ['Big', 'Huge']),
  question('Which colours?', ['Red', 'Blue'], true),
];

const shell = (command: string, after: string) =>
  toolUse('run_shell_command', { command, description: 'A command', is_background: false }, [text(after)]);

acpContract(qwen, {
  scenario: { ...scenario, slash: 'status' },
  askingMode: 'default',
  otherModel: '$runtime|openai|stand-in(openai)',
  editingMode: 'auto-edit',
  refusedModes: ['nonsense'],
  teach: (model, cwd) =>
    model
      .on(scenario.reply, [text('A few ', 'words, ', 'as asked.')])
      .on(scenario.command, [shell('touch asked.txt', 'Touched.')])
      .on(scenario.endless, [text('And on ', new Promise(() => {}))])
      .on(scenario.modelError, failure(400, 'invalid_request_error', 'told to fail'))
      .on(scenario.sleeper, [shell("setsid sh -c 'echo $$ > sleeper.pid; exec sleep 600' & wait", 'Slept.')])
      .on(scenario.question, [toolUse('ask_user_question', { questions }, [text('Thank you.')])])
      .on(scenario.subAgent, [
        toolUse(
          'agent',
          {
            description: 'Touch it',
            prompt: inSub,
            subagent_type: 'general-purpose',
            run_in_background: false,
          },
          [text('It is done.')],
        ),
      ])
      .on(inSub, [shell('touch sub.txt', 'Touched in there.')])
      .on(scenario.plan, [
        toolUse('exit_plan_mode', { plan: '# A plan' }, [
          toolUse('write_file', { file_path: join(cwd, 'planned.txt'), content: 'As planned\n' }, [
            text('Done.'),
          ]),
        ]),
      ]),
  cannot: {
    twoAtOnce: 'It asks for one thing after the other.',
    subAgent: 'It asks for leave to start a sub-agent first, for which the scenario has no place.',
  },
});

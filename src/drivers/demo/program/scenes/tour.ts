import type { Answers, Stage } from '../stage.ts';
import type { ToolOutcome } from '../tool-call.ts';
import type { Scene } from './scene.ts';

const FILE = 'beckon-demo.md';
const QUESTION = 'What should an agent of yours do first?';

export const tour: Scene = {
  name: 'tour',
  about: 'a walk through an approval and a question, in a minute',
  changes: true,
  matches: (text) =>
    /^(tour|show me (a)?round|give me (a|the) tour|take (me on )?(a|the) tour|get(ting)? started)\b/i.test(
      text,
    ),
  play: async (stage) => {
    await stage.say(
      [
        'Welcome! An agent works on its own most of the time, and beckons when it needs you. That happens in two ways;',
        `here is the first.\n\n**May I?** I would like to write a small file, \`${FILE}\`, into this directory.`,
        'Look at what I want to write, then allow it, deny it, or change it. I do nothing until you decide.',
      ].join(' '),
    );
    const written = await stage.tool('Write', {
      file_path: `${stage.session.cwd}/${FILE}`,
      content: CONTENT,
    });
    await stage.say(
      `${afterWrite(written)} Now the second way.\n\n**Which one?** Sometimes I need a decision.`,
    );
    const answers = await stage.ask([
      {
        question: QUESTION,
        header: 'First job',
        multiSelect: false,
        options: [
          { label: 'Fix a bug', description: 'Something small that has annoyed you for weeks' },
          { label: 'Write tests', description: 'For the part nobody dares to touch' },
          { label: 'Explain the code', description: 'A guided walk through a project new to you' },
        ],
      },
    ]);
    await sum(stage, written, answers);
  },
};

const CONTENT = [
  '# Hello from Beckon',
  '',
  'The demo agent wrote this file because you allowed it.',
  'You can delete it; nothing depends on it.',
  '',
].join('\n');

function afterWrite(written: ToolOutcome): string {
  return written.isError
    ? `All right, I left your files alone (“${written.text}”).`
    : 'Thank you, the file is there.';
}

async function sum(stage: Stage, written: ToolOutcome, answers: Answers): Promise<void> {
  const file = written.isError
    ? `You said no to \`${FILE}\`, and I was told why: “${written.text}”.`
    : `You allowed \`${FILE}\`; ${written.input.content === CONTENT ? 'it was written as shown' : 'it holds your version'}.`;
  await stage.say(
    [
      'That is all there is to it:',
      '',
      `- ${file}`,
      `- ${answerLine(answers)}`,
      '',
      'With fifty agents at work it stays the same: whoever needs you shows up in the inbox, oldest first.',
      'Say `help` for more to try, or start a session with a real agent.',
    ].join('\n'),
  );
}

function answerLine(answers: Answers): string {
  if (answers.is === 'refused')
    return `You did not want to choose (“${answers.reason}”), which is fine, too.`;
  const [first] = answers.answers;
  return first === undefined
    ? 'You left my question open.'
    : `You answered my question with **${first.answer}**.`;
}

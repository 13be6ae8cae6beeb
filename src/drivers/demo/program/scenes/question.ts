import type { Scene } from './scene.ts';

export const question: Scene = {
  name: 'question',
  about: 'asks you two questions at once, one of them with several answers',
  matches: (text) => /^(question|ask me|questions)\b/i.test(text),
  play: async (stage) => {
    await stage.say('Two things to decide before I start.');
    const answers = await stage.ask([
      {
        question: 'Which database should I use?',
        header: 'Database',
        multiSelect: false,
        options: [
          { label: 'Postgres', description: 'A server, for many writers' },
          { label: 'SQLite', description: 'A file, for a single program' },
          { label: 'None', description: 'Keep it in memory' },
        ],
      },
      {
        question: 'Which extras do you want?',
        header: 'Extras',
        multiSelect: true,
        options: [
          { label: 'Tests', description: 'Unit tests for every module' },
          { label: 'Docs', description: 'A page for each command' },
          { label: 'CI', description: 'Checks on every push' },
        ],
      },
    ]);
    if (answers.is === 'refused') {
      await stage.say(`No answers, then: ${answers.reason}`);
      return;
    }
    const lines = answers.answers.map(({ question: asked, answer }) => `- ${asked} → ${answer}`);
    await stage.say(lines.length === 0 ? 'I got no answers.' : `I got these answers:\n\n${lines.join('\n')}`);
  },
};

import type { Scene } from './scene.ts';

const STEPS = [
  ['Read the code', 'Reading the code'],
  ['Make the change', 'Making the change'],
  ['Run the tests', 'Running the tests'],
] as const;

export const todo: Scene = {
  name: 'todo',
  about: 'keeps a list of steps and ticks them off',
  matches: (text) => /^((make|show me|write)\s+)?(a\s+)?(to-?do)s?\b/i.test(text),
  play: async (stage) => {
    await stage.say('I keep a list while I work.');
    for (let done = 0; done <= STEPS.length; done++) await stage.tool('TodoWrite', { todos: listAt(done) });
    await stage.say(`All ${STEPS.length} steps are done.`);
  },
};

function listAt(done: number): readonly object[] {
  return STEPS.map(([content, activeForm], at) => {
    const open = at === done ? 'in_progress' : 'pending';
    return { content, activeForm, status: at < done ? 'completed' : open };
  });
}

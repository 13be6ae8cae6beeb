import type { Scene } from './scene.ts';

export const think: Scene = {
  name: 'think',
  about: 'shows its thinking before it answers',
  matches: (text) => /^think\b/i.test(text),
  play: async (stage) => {
    await stage.think(
      'They want to see me think. I should weigh two ways, notice that both work, and pick the simpler one.',
    );
    await stage.say('I thought about it, and the simpler way wins.');
  },
};

import { numberIn, type Scene } from './scene.ts';

const WORD_MS = 50;
const DEFAULT_WORDS = 60;

export const slow: Scene = {
  name: 'slow N',
  about: 'counts to N, one word every 50 ms: time enough to interrupt me, or to queue a message',
  matches: (text) => /^slow(ly)?\b/i.test(text),
  play: async (stage) => {
    const count = numberIn(stage.text.split(/\s+/), 1, DEFAULT_WORDS);
    const words = Array.from({ length: count }, (_, at) => `word${at + 1}`);
    await stage.say(words.join(' '), WORD_MS);
  },
};

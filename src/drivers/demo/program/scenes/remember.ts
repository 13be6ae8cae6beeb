import type { Scene } from './scene.ts';

const SHOWN = 10;

export const remember: Scene = {
  name: 'remember SOMETHING',
  about: 'keeps it for later, also when I was interrupted or restarted',
  matches: (text) => /^remember\b/i.test(text),
  play: async (stage) => {
    const what = stage.text.replace(/^\/?remember\s*(that\s+)?/i, '');
    stage.session.memory.keep(what);
    await stage.say(`I will remember: ${what}`);
  },
};

export const recall: Scene = {
  name: 'what did I say',
  about: 'tells what I remember of this conversation',
  matches: (text) => /^(what (did|have) i (say|said|tell|told)|what do you (remember|know))\b/i.test(text),
  play: async (stage) => {
    const { kept, said, turns } = stage.session.memory;
    // The last thing said is this very question.
    const earlier = said.slice(0, -1).slice(-SHOWN);
    await stage.say(
      [
        kept.length === 0
          ? 'You asked me to remember nothing so far.'
          : `You asked me to remember: ${kept.join('; ')}.`,
        '',
        earlier.length === 0 ? 'This is the first thing you said.' : 'You said:',
        '',
        ...earlier.map((text) => `- ${text}`),
        '',
        `This conversation has had ${turns} ${turns === 1 ? 'turn' : 'turns'}.`,
      ].join('\n'),
    );
  },
};

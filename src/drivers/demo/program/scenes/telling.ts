import type { Scene } from './scene.ts';

export const hello: Scene = {
  name: 'hello',
  about: 'a greeting, streamed word by word',
  matches: (text) => /^(hello|hi|hey|hallo|good (morning|afternoon|evening))\b/i.test(text),
  play: (stage) =>
    stage.say(
      [
        'Hello! I am the **demo agent**. I speak to Beckon exactly as a real coding agent does, but I need no account and never touch the network, so you can try everything with me first.',
        '',
        'What I say arrives word by word, with *formatting* and code:',
        '',
        '```ts',
        'export function beckon(name: string): string {',
        '  // An agent that needs you says so, and waits.',
        "  return name + ', may I?';",
        '}',
        '```',
        '',
        'Say `tour` and I will show you around in a minute, or `help` for everything I can play.',
      ].join('\n'),
    ),
};

const steps = [
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
    for (let done = 0; done <= steps.length; done++) {
      const todos = steps.map(([content, activeForm], at) => {
        const open = at === done ? 'in_progress' : 'pending';
        return { content, activeForm, status: at < done ? 'completed' : open };
      });
      await stage.tool('TodoWrite', { todos });
    }
    await stage.say(`All ${steps.length} steps are done.`);
  },
};

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

export const slow: Scene = {
  name: 'slow N',
  about: 'counts to N, one word every 50 ms: time enough to interrupt me, or to queue a message',
  matches: (text) => /^slow(ly)?\b/i.test(text),
  play: (stage) => {
    const count = Number(/\d+/.exec(stage.text)?.[0] ?? 60);
    return stage.say(Array.from({ length: count }, (_, at) => `word${at + 1}`).join(' '), 50);
  },
};

export const remember: Scene = {
  name: 'remember SOMETHING',
  about: 'keeps it for later, also when I was interrupted or restarted',
  matches: (text) => /^remember\b/i.test(text),
  play: async (stage) => {
    const what = stage.text.replace(/^remember\s*(that\s+)?/i, '');
    stage.session.memory.keep(what);
    await stage.say(`I will remember: ${what}`);
  },
};

export const recall: Scene = {
  name: 'what did I say',
  about: 'tells what I remember of this conversation',
  matches: (text) => /^(what (did|have) i (say|said|tell|told)|what do you (remember|know))\b/i.test(text),
  play: async (stage) => {
    const { kept, said, turns } = stage.session.memory.state;
    // The last thing said is this very question.
    const earlier = said.slice(-11, -1).map((text) => `- ${text}`);
    await stage.say(
      [
        kept.length === 0
          ? 'You asked me to remember nothing so far.'
          : `You asked me to remember: ${kept.join('; ')}.`,
        ['', earlier.length === 0 ? 'This is the first thing you said.' : 'You said:', ''],
        earlier,
        ['', `This conversation has had ${turns} ${turns === 1 ? 'turn' : 'turns'}.`],
      ]
        .flat()
        .join('\n'),
    );
  },
};

export const commitMessage: Scene = {
  name: 'commit message',
  about: 'proposes one, in a block that the page finds',
  matches: (text) => /\bcommit message\b/i.test(text),
  play: async (stage) => {
    const [first = 'some files'] = [...stage.text.matchAll(/^- (.+)$/gm)].map(([, path]) => path);
    await stage.say(
      `This says what changed:\n\n\`\`\`commit\nWork on ${first}\n\nAs the demo agent sees it.\n\`\`\``,
    );
  },
};

export const image: Scene = {
  name: 'image',
  about: 'tells which pictures came with your message',
  matches: (text, { images }) => images.length > 0 || /^(image|picture|images|pictures)\b/i.test(text),
  play: async (stage) => {
    const { images } = stage.turn.message;
    const count = images.length === 1 ? '1 image' : `${images.length} images`;
    await stage.say(`I got ${[count, ...(images.length === 0 ? [] : [images.join(', ')])].join(': ')}.`);
  },
};

/** Says that nothing else fits, and lists what does. */
export function helpWith(scenes: readonly Scene[]): Scene {
  return {
    name: 'help',
    about: 'lists what there is to try',
    matches: () => true,
    play: (stage) =>
      stage.say(
        [
          opening(stage.text),
          '',
          'Here is what you can try:',
          '',
          ...scenes.map(({ name, about }) => `- \`${name}\`: ${about}`),
          '',
          'If this is your first time, start with `tour`.',
        ].join('\n'),
      ),
  };
}

function opening(text: string): string {
  if (/^(help|\?)?$/i.test(text)) return 'Glad you asked. I am the demo agent, and I play scenes.';
  const quoted = text.length > 200 ? `${text.slice(0, 200)}…` : text;
  return `You said: “${quoted}”. A real agent would get to work now; I am only the demo, and I know a handful of scenes by heart.`;
}

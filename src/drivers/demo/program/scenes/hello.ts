import type { Scene } from './scene.ts';

export const hello: Scene = {
  name: 'hello',
  about: 'a greeting, streamed word by word',
  matches: (text) => /^(hello|hi|hey|hallo|good (morning|afternoon|evening))\b/i.test(text),
  play: async (stage) => {
    await stage.say(
      [
        'Hello! I am the **demo agent**. I speak to Beckon exactly as a real coding agent does, but I need no account',
        'and never touch the network, so you can try everything with me first.',
      ].join(' '),
    );
    await stage.say(
      [
        '\n\nWhat I say arrives word by word, with *formatting* and code:',
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
    );
  },
};

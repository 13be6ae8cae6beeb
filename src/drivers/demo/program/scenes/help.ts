import type { Scene } from './scene.ts';

const QUOTED = 200;

/** Played when nothing else fits: says so, and lists what does. */
export function helpWith(scenes: readonly Scene[]): Scene {
  return {
    name: 'help',
    about: 'lists what there is to try',
    matches: () => true,
    play: async (stage) => {
      await stage.say(`${opening(stage.text)}\n\n`);
      const lines = scenes.flatMap(({ name, about }) =>
        about === undefined ? [] : [`- \`${name}\`: ${about}`],
      );
      await stage.say(
        [
          'Here is what you can try:',
          '',
          ...lines,
          '',
          'If this is your first time, start with `tour`.',
        ].join('\n'),
      );
    },
  };
}

function opening(text: string): string {
  if (text === '' || /^\/?(help|\?)$/i.test(text))
    return 'Glad you asked. I am the demo agent, and I play scenes.';
  const quoted = text.length > QUOTED ? `${text.slice(0, QUOTED)}…` : text;
  return (
    `You said: “${quoted}”. A real agent would get to work now; I am only the demo, ` +
    'and I know a handful of scenes by heart.'
  );
}

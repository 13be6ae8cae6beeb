import { drill, numberIn } from '../scene.ts';

/** N small pieces of text, as fast as the host reads. */
export const flood = drill('!flood', async (stage, args) => {
  await stage.stream(counted(numberIn(args, 0, 1000)));
});

/** N numbered lines, each a message of its own, so that a missing one is noticed. */
export const numbered = drill('!numbered', async (stage, args) => {
  const count = numberIn(args, 0, 100);
  for (let at = 1; at <= count; at++) {
    await stage.stream([`line ${at} of ${count}`]);
    await stage.end();
  }
});

function* counted(count: number): Generator<string> {
  for (let at = 1; at <= count; at++) yield `${at} `;
}

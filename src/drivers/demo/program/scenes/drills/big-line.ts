import { drill, numberIn } from '../scene.ts';

/** A tool result of N megabytes in a single line. */
export const bigLine = drill('!bigline', async (stage, args) => {
  const megabytes = numberIn(args, 0, 1);
  const bulk = await stage.tool('DemoBulk', { megabytes });
  await stage.say(`sent ${bulk.text.length} characters`, 0);
});

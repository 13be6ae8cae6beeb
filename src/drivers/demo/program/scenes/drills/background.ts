import { delegateBehind } from '../../sub-agent.ts';
import { drill } from '../scene.ts';

/** A sub-agent that asks only after the turn's result, and whose end starts a turn no one asked for. */
export const background = drill('!background', async (stage) => {
  const task = { description: 'Work behind', prompt: 'Touch a file when the turn is over.' };
  await delegateBehind(
    stage,
    task,
    async (inner) => {
      await inner.say('I start now.', 0);
      const touched = await inner.tool('Bash', { command: 'touch background.txt' });
      await inner.say(touched.isError ? `background denied: ${touched.text}` : 'background done', 0);
    },
    (later) => later.say('The background work has ended.', 0),
  );
  await stage.say('It works behind; I am done for now.', 0);
});

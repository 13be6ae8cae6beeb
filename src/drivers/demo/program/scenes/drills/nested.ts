import { delegate } from '../../sub-agent.ts';
import { drill } from '../scene.ts';

/** A sub-agent's sub-agent asks. With `quiet`, nothing of the inner one is shown but its ask. */
export const nested = drill('!nested', async (stage, args) => {
  const hidden = args[0] === 'quiet';
  const found = await delegate(
    stage,
    { description: 'Outer', prompt: 'Delegate this once more.' },
    async (outer) => {
      await outer.say('I hand it on.', 0);
      const inner = await delegate(
        outer,
        { description: 'Inner', prompt: 'Touch a file.', hidden },
        async (deepest) => {
          const touched = await deepest.tool('Bash', { command: 'touch nested.txt' });
          await deepest.say(touched.isError ? `inner denied: ${touched.text}` : 'inner done', 0);
        },
      );
      await outer.say(`outer heard: ${inner}`, 0);
    },
  );
  await stage.say(`nested result: ${found}`, 0);
});

import { delegate } from '../sub-agent.ts';
import type { Scene } from './scene.ts';

export const subAgent: Scene = {
  name: 'subagent',
  about: 'hands work to a sub-agent, which asks you from inside',
  changes: true,
  matches: (text) => /^((use|start|show me|run)\s+)?(a\s+)?sub-?\s?agents?\b/i.test(text),
  play: async (stage) => {
    await stage.say('I hand this to a sub-agent.');
    const found = await delegate(
      stage,
      {
        description: 'Count the files here',
        prompt: 'Count the files in this directory and report the number.',
      },
      async (inner) => {
        await inner.say('I will list the directory.');
        const listed = await inner.tool('Bash', { command: 'ls -A | wc -l' });
        await inner.say(
          listed.isError ? `I could not count: ${listed.text}` : `There are ${listed.text.trim()} files.`,
        );
      },
    );
    await stage.say(`The sub-agent reports: ${found}`);
  },
};

import type { Scene } from './scene.ts';

const COMMAND = /^run\b(?!\s+(?:a\s+)?sub-?\s?agents?$)\s*([\s\S]*)$/i;
const DEFAULT_COMMAND = 'echo hello from the demo agent';

export const run: Scene = {
  name: 'run COMMAND',
  about: 'runs exactly that command, once you allow it, and shows what it printed',
  changes: true,
  matches: (text) => COMMAND.test(text),
  play: async (stage) => {
    const command = COMMAND.exec(stage.text.replace(/^\//, ''))?.[1]?.trim() || DEFAULT_COMMAND;
    await stage.say('I would like to run a command.');
    const outcome = await stage.tool('Bash', { command });
    const ran = String(outcome.input.command);
    await stage.say(
      outcome.isError
        ? `It did not work out: ${outcome.text}`
        : `I ran \`${ran}\`. It printed:\n\n\`\`\`\n${outcome.text}\n\`\`\``,
    );
  },
};

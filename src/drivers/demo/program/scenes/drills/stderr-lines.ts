import { drill, numberIn } from '../scene.ts';

/** N lines on stderr. */
export const stderrLines = drill('!stderr', async (stage, args) => {
  const count = numberIn(args, 0, 10);
  for (let at = 1; at <= count; at++) {
    const free = process.stderr.write(`stderr line ${at} of ${count}\n`);
    if (!free) await new Promise<void>((resolve) => process.stderr.once('drain', () => resolve()));
  }
  await stage.say(`wrote ${count} lines to stderr`, 0);
});

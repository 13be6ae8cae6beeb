import { drill } from '../scene.ts';

/** Leaves half a line behind. */
export const dieMidline = drill('!die-midline', async (stage) => {
  await stage.say('The next line will be cut in half.', 0);
  await stage.raw('{"type":"assistant","message":{"id":"half","content":[{"type":"te');
  await stage.session.wire.flush();
  process.exit(1);
});

/** Asks, and is gone before anyone can answer. */
export const dieAsking = drill('!die-asking', async (stage) => {
  await stage.tool('Bash', { command: 'touch never.txt' }, async () => {
    await stage.session.wire.flush();
    process.exit(1);
  });
});

import { drill } from '../scene.ts';

/** Says everything, but never that the turn is over; an interrupt still ends it. */
export const noResult = drill('!no-result', async (stage) => {
  await stage.say('This is all I have to say.', 0);
  await stage.end();
  await new Promise((_, reject) => {
    stage.signal.addEventListener('abort', () => reject(stage.signal.reason), { once: true });
  });
});

/** Leaves by itself, cleanly, once the result is out. */
export const exitClean = drill('!exit-clean', async (stage) => {
  await stage.say('Goodbye.', 0);
  stage.turn.jobs.push({
    work: async () => {
      await stage.session.wire.flush();
      process.exit(0);
    },
    stop: () => undefined,
    onEnd: async () => undefined,
  });
});

import { drill, numberIn } from '../scene.ts';

/** Ends in the middle of a turn, with the exit code given. */
export const crash = drill('!crash', async (stage, args) => {
  await stage.say('I am about to crash.', 0);
  process.stderr.write('demo agent: crashing, as it was asked to\n');
  await stage.session.wire.flush();
  process.exit(numberIn(args, 0, 1));
});

/** Crashes now, and again on every attempt to resume. */
export const crashAlways = drill('!crash-always', async (stage) => {
  await stage.say('I will crash now and on every start.', 0);
  stage.session.memory.crashOnEveryStart();
  stage.session.memory.save();
  process.stderr.write('demo agent: crashing, as it was asked to\n');
  await stage.session.wire.flush();
  process.exit(1);
});

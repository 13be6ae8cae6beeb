import { spawn } from 'node:child_process';
import { drill } from '../scene.ts';

const A_DAY_MS = 86_400_000;

/** Neither the end of its input nor SIGTERM ends it, and it has a child in a session of its own. */
export const ignoreSigterm = drill('!ignore-sigterm', async (stage) => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.removeAllListeners(signal);
    process.on(signal, () => undefined);
  }
  stage.session.lingers = true;
  setInterval(() => undefined, A_DAY_MS);
  const sleeper = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
  sleeper.unref();
  await stage.say(`child pid ${sleeper.pid}`, 0);
});

import { isObject } from '../../json.ts';
import { drill } from '../scene.ts';

/** A command that stays, with a grandchild in a session of its own: who ends us must find both. */
export const child = drill('!child', async (stage) => {
  const command = "setsid sh -c 'echo $$; exec sleep 1000' & wait";
  const started = await stage.tool('Bash', { command, run_in_background: true });
  const pid = isObject(started.structured) ? started.structured.stdout : undefined;
  await stage.say(started.isError ? `no child: ${started.text}` : `child pid ${String(pid)}`, 0);
});

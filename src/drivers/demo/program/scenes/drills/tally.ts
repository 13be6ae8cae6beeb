import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { drill, numberIn } from '../scene.ts';

/**
 * N numbered lines under a name, one every MS milliseconds, each a message of its own and after every third an ask. What is said is
 * written to the file FILE in the session's directory as well, so that both can be compared; the last line tells what came twice.
 */
export const tally = drill('!tally', async (stage, args) => {
  const name = args[0] ?? 'tally';
  const count = numberIn(args, 1, 6);
  const everyMs = numberIn(args, 2, 20);
  const file = args[3] ?? 'tally.txt';
  const say = async (text: string): Promise<void> => {
    appendFileSync(join(stage.session.cwd, file), `${text}\n`);
    await stage.stream(text.split(/(?= )/));
    await stage.end();
    await stage.pause(everyMs);
  };
  for (let at = 1; at <= count; at++) {
    await say(`${name} line ${at}`);
    if (at % 3 !== 0) continue;
    const { isError } = await stage.tool('DemoPing', { number: `${name} ask ${at}` });
    await say(`${name} ask ${at} ${isError ? 'denied' : 'allowed'}`);
  }
  const { requests, repeatedMessages } = stage.session;
  await say(`${name} done, answers twice: ${requests.unasked}, messages twice: ${repeatedMessages}`);
});

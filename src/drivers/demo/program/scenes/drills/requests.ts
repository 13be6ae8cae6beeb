import { hookRequest } from '../../hooks.ts';
import type { Answer } from '../../requests.ts';
import { drill } from '../scene.ts';

/** A request of a kind no host knows: it should be refused, not left open. */
export const unknownControl = drill('!unknown-control', async (stage) => {
  const answer = await stage.request({ subtype: 'demo_from_the_future', anything: true });
  await stage.say(`answer: ${told(answer)}`, 0);
});

/** A hook callback that the host may never have asked for: it must be answered all the same. */
export const hook = drill('!hook', async (stage) => {
  const call = { name: 'Bash', id: 'toolu_demo_hook', input: { command: 'echo hook' } };
  const answer = await stage.request(hookRequest(stage.session, 'demo_hook', call));
  await stage.say(`answer: ${told(answer)}`, 0);
});

function told(answer: Answer): string {
  switch (answer.kind) {
    case 'success':
      return `success ${JSON.stringify(answer.response)}`;
    case 'error':
      return `error ${answer.error}`;
    case 'withdrawn':
    case 'closed':
      return answer.kind;
  }
}

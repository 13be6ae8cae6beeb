import { drill } from '../scene.ts';

const A_DAY_MS = 86_400_000;

/** Says nothing more, hears no interrupt, and stays when its input ends. */
export const hang = drill('!hang', async (stage) => {
  stage.session.deaf = true;
  await new Promise(() => setInterval(() => undefined, A_DAY_MS));
});

import { drill } from '../scene.ts';

/** The model's service refuses: the result is then a "success" that is an error. */
export const apiError = drill('!api-error', async (stage) => {
  const text = 'API Error: 400 the demo was asked to fail';
  await stage.say(text, 0);
  stage.turn.apiError = text;
});

import { drill } from '../scene.ts';

const URLS = ['http://a.test/', 'http://b.test/'];

/** Two asks open at the same time. */
export const parallel = drill('!parallel', async (stage) => {
  const calls = URLS.map((url) => ({ name: 'WebFetch', input: { url, prompt: 'What does it say?' } }));
  const outcomes = await stage.tools(calls);
  const lines = outcomes.map(
    ({ isError, text }, at) => `${URLS[at]} ${isError ? 'refused' : 'fetched'}: ${text}`,
  );
  await stage.say(lines.join('\n'), 0);
});

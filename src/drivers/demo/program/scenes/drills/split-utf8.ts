import { drill } from '../scene.ts';

/** A line with characters of two, three and four bytes, written byte by byte. */
export const splitUtf8 = drill('!split-utf8', async (stage) => {
  const text = 'Grüße, 世界, 👋🏽!';
  const content = [{ type: 'text', text }];
  const message = {
    id: 'msg_demo_split',
    type: 'message',
    role: 'assistant',
    model: stage.session.model,
    content,
  };
  const line = { type: 'assistant', message, parent_tool_use_id: null, session_id: stage.session.id };
  for (const byte of Buffer.from(`${JSON.stringify(line)}\n`)) {
    await stage.raw(Uint8Array.of(byte));
    await stage.session.wire.flush();
  }
  await stage.say(`said: ${text}`, 0);
});

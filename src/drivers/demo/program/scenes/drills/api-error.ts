import { randomUUID } from 'node:crypto';
import { usageOf } from '../../reply.ts';
import { drill } from '../scene.ts';

/** The model's service refuses: a made-up line says so, and the result is a "success" that is an error. */
export const apiError = drill('!api-error', async (stage) => {
  const text = 'API Error: 400 the demo was asked to fail';
  const message = {
    id: randomUUID(),
    type: 'message',
    role: 'assistant',
    model: '<synthetic>',
    content: [{ type: 'text', text }],
    stop_reason: 'stop_sequence',
    stop_sequence: '',
    usage: usageOf(0, 0),
  };
  await stage.turn.echo();
  await stage.line({
    type: 'assistant',
    message,
    error: 'unknown',
    is_api_error_message: true,
    api_error_status: 400,
  });
  stage.turn.apiError = text;
});

import type { OutgoingMessage } from '../../runner/ports/agent-driver.ts';
import type { SdkContent, SdkImageType, SdkUserMessage, SdkUuid } from './sdk-types.ts';

/** A person's words as the SDK takes them. */
export function userMessage(
  { text, images }: OutgoingMessage,
  uuid: string,
  how: 'turn' | 'steer',
): SdkUserMessage {
  const content = [...images.map(imageBlock), ...(text === '' ? [] : [{ type: 'text' as const, text }])];
  return {
    type: 'user',
    message: { role: 'user', content },
    parent_tool_use_id: null,
    uuid: uuid as SdkUuid,
    ...(how === 'steer' && { priority: 'next' }),
  };
}

/** A type the model does not know is refused by the program, in words. */
function imageBlock({ mediaType, data }: OutgoingMessage['images'][number]): SdkContent {
  return { type: 'image', source: { type: 'base64', media_type: mediaType as SdkImageType, data } };
}

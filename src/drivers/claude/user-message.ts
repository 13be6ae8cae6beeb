import { createHash } from 'node:crypto';
import type { OutgoingMessage } from '../../runner/ports/agent-driver.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The same message has the same uuid in every process: sent again after a crash, it is not run twice. */
export function uuidOf(messageId: string): string {
  if (uuid.test(messageId)) return messageId.toLowerCase();
  const hex = createHash('sha256').update(messageId).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

/** A person's words and pictures in the program's form. A kind of picture the model does not know is refused by the program, in words. */
export const contentOf = ({ text, images }: OutgoingMessage) => [
  ...images.map(({ mediaType, data }) => ({
    type: 'image' as const,
    source: { type: 'base64' as const, media_type: mediaType, data },
  })),
  ...(text === '' ? [] : [{ type: 'text' as const, text }]),
];

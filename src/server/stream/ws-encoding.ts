import type { SessionId } from '../../protocol/ids.ts';
import type { Encoding } from './batch.ts';
import { type AnnouncementFrame, type Frame, jsonOf } from './frame.ts';
import { toolFrame } from './tool-frame.ts';

/** What a WebSocket client hears; made once for all of them, down to the bytes on the wire. */
export const webSocketFrames: Encoding = {
  news: (sessionId, frames) => textFrames(newsJson(sessionId, frames)),
  announcements: (frames) => textFrames(frames.flatMap(announcementJson)),
};

/** WebSocket text frames as a server sends them, one after the other in one buffer. */
export function textFrames(texts: readonly string[]): Buffer {
  const lengths = texts.map((text) => Buffer.byteLength(text));
  const bytes = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + headLength(length) + length, 0));
  let offset = 0;
  for (const [index, text] of texts.entries()) {
    offset = writeHead(bytes, offset, lengths[index] ?? 0);
    offset += bytes.write(text, offset);
  }
  return bytes;
}

function newsJson(sessionId: SessionId, frames: readonly Frame[]): string[] {
  const session = JSON.stringify(sessionId);
  const texts: string[] = [];
  for (const frame of frames) {
    if (frame.kind === 'event')
      texts.push(`{"type":"chat_event","sessionId":${session},"event":${jsonOf(frame)}}`);
    else if (frame.kind === 'delta')
      texts.push(`{"type":"delta","sessionId":${session},${jsonOf(frame).slice(1)}`);
  }
  return texts;
}

/** What concerns an interactive tool is told in the words of tools, too. */
function announcementJson(frame: AnnouncementFrame): string[] {
  const { announcement } = frame;
  const told = `{"type":"${announcement.type.replaceAll('-', '_')}","data":${jsonOf(frame)}}`;
  const forTools = toolFrame(announcement);
  return forTools === undefined ? [told] : [told, JSON.stringify(forTools)];
}

const wholeTextFrame = 0x81;

const headLength = (length: number): number => (length < 126 ? 2 : length < 65_536 ? 4 : 10);

function writeHead(bytes: Buffer, offset: number, length: number): number {
  bytes.writeUInt8(wholeTextFrame, offset);
  if (length < 126) return bytes.writeUInt8(length, offset + 1);
  if (length < 65_536) {
    bytes.writeUInt8(126, offset + 1);
    return bytes.writeUInt16BE(length, offset + 2);
  }
  bytes.writeUInt8(127, offset + 1);
  return bytes.writeBigUInt64BE(BigInt(length), offset + 2);
}

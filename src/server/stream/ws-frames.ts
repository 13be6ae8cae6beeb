import { type Announcement, wireNames } from '../../protocol/announcement.ts';
import type { SessionId } from '../../protocol/ids.ts';
import type { Interaction } from '../../protocol/interaction.ts';
import { type AnnouncementFrame, type Frame, jsonOf } from './batch.ts';

/** What a WebSocket client hears of a session; the same for all of them, down to the bytes on the wire. */
export function newsFrames(sessionId: SessionId, frames: readonly Frame[]): Buffer {
  const session = JSON.stringify(sessionId);
  const { event, delta } = wireNames;
  return textFrames(
    frames.flatMap((frame) => {
      if (frame.kind === 'event')
        return `{"type":"${event.webSocket}","sessionId":${session},"event":${jsonOf(frame)}}`;
      if (frame.kind === 'delta')
        return `{"type":"${delta.webSocket}","sessionId":${session},${jsonOf(frame).slice(1)}`;
      return [];
    }),
  );
}

/** What concerns an interactive tool is told in the words of tools, too; the cursor is behind both, so the last of them has it. */
export function announcementFrames(frames: readonly AnnouncementFrame[]): Buffer {
  return textFrames(
    frames.flatMap((frame) => {
      const { announcement, cursor } = frame;
      const told = `{"type":"${wireNames[announcement.type].webSocket}","data":${jsonOf(frame)}`;
      const forTools = toolFrame(announcement);
      if (forTools !== undefined) return [`${told}}`, JSON.stringify({ ...forTools, cursor })];
      return cursor === undefined ? `${told}}` : `${told},"cursor":${JSON.stringify(cursor)}}`;
    }),
  );
}

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

/** An interactive tool's ask, and its end, as clients that know tools by their calls hear of it. */
function toolFrame(announcement: Announcement): object | undefined {
  switch (announcement.type) {
    case 'approval-requested':
    case 'form-requested': {
      const { data } = announcement;
      if (data.tool === undefined) return undefined;
      const type = wireNames['tool-asked'].webSocket;
      return { type, ...namesOf(data, announcement), timestamp: data.createdAt, interaction: data };
    }
    case 'approval-resolved': {
      const { interaction, at } = announcement.data;
      if (interaction.tool === undefined) return undefined;
      const type = wireNames['tool-answered'].webSocket;
      const response = responseOf(interaction);
      return { type, ...namesOf(interaction, announcement), timestamp: at, response };
    }
    default:
      return undefined;
  }
}

function namesOf(
  { turnId, interactionId, toolCallId, tool }: Interaction,
  { data }: Extract<Announcement, { data: { sessionId: SessionId } }>,
) {
  const { sessionId, sessionKey, stageId } = data;
  const callId = tool?.callId;
  return { sessionId, sessionKey, stageId, turnId, interactionId, toolCallId: toolCallId ?? callId, callId };
}

/** In the fields of `respond`; without an action when nobody decided. */
function responseOf({ outcome, decision, resolvedBy: by, resolvedReason }: Interaction) {
  const how = { outcome, by };
  switch (decision?.type) {
    case undefined:
      return { ...how, action: null, ...(resolvedReason === undefined ? {} : { reason: resolvedReason }) };
    case 'allow': {
      const { scope: approvalScope, values } = decision;
      return { ...how, action: 'approve', approvalScope, ...(values === undefined ? {} : { input: values }) };
    }
    case 'deny':
      return { ...how, action: 'deny', reason: decision.message };
    case 'submit':
      return { ...how, action: 'submit', input: decision.values };
    case 'answer':
      return { ...how, action: 'submit', input: decision.answers };
    case 'dismiss':
      return { ...how, action: 'cancel', reason: decision.message };
  }
}

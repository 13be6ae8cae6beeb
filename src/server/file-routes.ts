import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { ControlRoom } from '../engine/ports/control-room.ts';
import { sendRefusal } from './errors.ts';
import { addServerRoute } from './routes.ts';

/** Pictures that were shown in a conversation, and what the agent printed, as it printed it. */
export function addFileRoutes(app: FastifyInstance, room: ControlRoom): void {
  addServerRoute(app, 'getImage', ({ session, imageId }, _request, reply) => {
    const image = room.image(session, imageId);
    if (!image.ok) return sendRefusal(reply, image.refusal);
    const { mediaType, data } = image.value;
    return asPicture(reply, mediaType).send(Buffer.from(data.buffer, data.byteOffset, data.byteLength));
  });

  addServerRoute(app, 'getRawLog', ({ session }, _request, reply) => {
    const raw = room.rawLog(session);
    if (!raw.ok) return sendRefusal(reply, raw.refusal);
    return reply
      .type('text/plain; charset=utf-8')
      .header('content-disposition', 'attachment; filename="raw.ndjson.txt"')
      .send(Readable.from(raw.value));
  });
}

const pictures = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** The type was said by an agent: only one that a browser cannot run is passed on. */
function asPicture(reply: FastifyReply, mediaType: string): FastifyReply {
  if (pictures.has(mediaType)) return reply.type(mediaType);
  return reply.type('application/octet-stream').header('content-disposition', 'attachment');
}

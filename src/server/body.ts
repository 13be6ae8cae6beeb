import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { BadRequest } from './errors.ts';
import { parseObject } from './json.ts';

export const maxBodyBytes = 32 * 1024 * 1024;
const maxDiscardedBytes = 8 * maxBodyBytes;

/** Bodies are JSON objects. No body at all is good too, whatever type it claims to have: many requests need none. */
export function acceptJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', (_request, payload, done) => {
    readBody(payload, (error, body) => {
      if (error !== null) return done(error);
      if (body.length === 0) return done(null, undefined);
      const object = parseObject(body.toString());
      if (object.ok) done(null, object.value);
      else done(new BadRequest(object.refusal.code, object.refusal.message));
    });
  });
  app.addContentTypeParser('*', (_request, payload, done) => {
    readBody(payload, (error, body) => {
      done(error ?? (body.length === 0 ? null : new BadRequest('unsupported_media_type')), undefined);
    });
  });
}

/**
 * A body that is too large is read to its end and thrown away, within reason: a client that is cut off while it sends sees a
 * broken connection and not the answer.
 */
export function readBody(
  payload: IncomingMessage,
  done: (error: BadRequest | null, body: Buffer) => void,
): void {
  let chunks: Buffer[] = [];
  let bytes = 0;
  const finish = (error: BadRequest | null): void => {
    payload.off('data', take).off('end', end).off('close', cut).off('error', cut);
    done(error, error === null ? Buffer.concat(chunks, bytes) : Buffer.alloc(0));
  };
  const take = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes <= maxBodyBytes) chunks.push(chunk);
    else chunks = [];
    if (bytes > maxDiscardedBytes) finish(new BadRequest('payload_too_large'));
  };
  const end = (): void => finish(bytes > maxBodyBytes ? new BadRequest('payload_too_large') : null);
  const cut = (): void => finish(new BadRequest('malformed_request', 'The body is not complete.'));
  if (Number(payload.headers['content-length'] ?? 0) > maxDiscardedBytes)
    finish(new BadRequest('payload_too_large'));
  else payload.on('data', take).once('end', end).once('close', cut).once('error', cut);
}

import type { FastifyInstance } from 'fastify';
import { BadRequest } from './errors.ts';
import { parseObject } from './json.ts';

export const maxBodyBytes = 32 * 1024 * 1024;

/** Bodies are JSON objects. No body at all is good too, whatever type it claims to have: many requests need none. */
export function acceptJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (_request, text, done) => {
    if (text.length === 0) return done(null, undefined);
    const object = parseObject(text);
    if (object.ok) done(null, object.value);
    else done(new BadRequest(object.refusal.code, object.refusal.message));
  });
  app.addContentTypeParser('*', (request, payload, done) => {
    payload.resume();
    const isEmpty = request.headers['content-length'] === '0';
    done(isEmpty ? null : new BadRequest('unsupported_media_type'), undefined);
  });
}

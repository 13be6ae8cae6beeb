import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { BadRequest } from './errors.ts';
import { parseObject } from './json.ts';

export const maxBodyBytes = 32 * 1024 * 1024;
const maxDiscardedBytes = 8 * maxBodyBytes;
/** Of someone who has not shown who they are. */
export const maxStrangerBytes = 64 * 1024;
const strangerPatienceMs = 10_000;
const answerReadingMs = 1000;

/** Bodies are JSON objects. No body at all is good too, whatever type it claims to have: many requests need none. */
export function acceptJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', (request, payload, done) => {
    bodyReaderFor(request)(payload, (error, body) => {
      if (error !== null) return done(error);
      if (body.length === 0) return done(null, undefined);
      const object = parseObject(body.toString());
      if (object.ok) done(null, object.value);
      else done(new BadRequest(object.refusal.code, object.refusal.message));
    });
  });
  app.addContentTypeParser('*', (request, payload, done) => {
    bodyReaderFor(request)(payload, (error, body) => {
      done(error ?? (body.length === 0 ? null : new BadRequest('unsupported_media_type')), undefined);
    });
  });
}

type BodyReader = (payload: IncomingMessage, done: (error: BadRequest | null, body: Buffer) => void) => void;

const bodyReaderFor = ({ identity }: FastifyRequest): BodyReader =>
  identity === undefined ? readStrangersBody : readBody;

/**
 * A body that is too large is read to its end and thrown away, within reason: a client that is cut off while it sends sees a
 * broken connection and not the answer.
 */
export const readBody: BodyReader = (payload, done) =>
  readWithin(payload, { kept: maxBodyBytes, read: maxDiscardedBytes }, (error, body) =>
    done(error === 'too-large' ? new BadRequest('payload_too_large') : error, body),
  );

/** Answered as soon as it is too large; what is sent on after that is not kept. */
const readStrangersBody: BodyReader = (payload, done) => {
  endUnlessWhole(payload, strangerPatienceMs);
  readWithin(payload, { kept: maxStrangerBytes, read: maxStrangerBytes }, (error, body) => {
    if (error !== null) discardBody(payload);
    done(error === 'too-large' ? tooLargeForStranger() : error, body);
  });
};

/** Gives up as soon as more is sent than is to be read. */
function readWithin(
  payload: IncomingMessage,
  most: { readonly kept: number; readonly read: number },
  done: (error: BadRequest | 'too-large' | null, body: Buffer) => void,
): void {
  let chunks: Buffer[] = [];
  let bytes = 0;
  const finish = (error: BadRequest | 'too-large' | null): void => {
    payload.off('data', take).off('end', end).off('close', cut).off('error', cut);
    done(error, error === null ? Buffer.concat(chunks, bytes) : Buffer.alloc(0));
  };
  const take = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes <= most.kept) chunks.push(chunk);
    else chunks = [];
    if (bytes > most.read) finish('too-large');
  };
  const end = (): void => finish(bytes > most.kept ? 'too-large' : null);
  const cut = (): void => finish(new BadRequest('malformed_request', 'The body is not complete.'));
  if (Number(payload.headers['content-length'] ?? 0) > most.read) finish('too-large');
  else payload.on('data', take).once('end', end).once('close', cut).once('error', cut);
}

/**
 * What a stranger still sends when it has its answer. A little is read and thrown away, for clients that read only then; after that
 * nothing, and the connection is cut off when the answer had time to be read.
 */
export function discardBody(payload: IncomingMessage): void {
  if (payload.complete) return;
  let left = maxStrangerBytes;
  payload.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left > 0 || payload.isPaused()) return;
    payload.pause();
    endUnlessWhole(payload, answerReadingMs);
  });
  endUnlessWhole(payload, strangerPatienceMs);
}

function endUnlessWhole(payload: IncomingMessage, afterMs: number): void {
  const timer = setTimeout(() => payload.socket.destroy(), afterMs);
  timer.unref();
  const over = (): void => clearTimeout(timer);
  payload.once('end', over).once('close', over);
}

const tooLargeForStranger = (): BadRequest =>
  new BadRequest('payload_too_large', 'The body is over 64 kB, and nobody has shown who sends it.');

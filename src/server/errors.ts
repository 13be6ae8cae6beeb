import type { FastifyError, FastifyReply } from 'fastify';
import { type ErrorCode, errorCatalogue, type Refusal, refuse, statusOf } from '../protocol/errors.ts';

export const errorBody = (refusal: Refusal): { readonly error: Refusal } => ({ error: refusal });

export function sendRefusal(reply: FastifyReply, refusal: Refusal): FastifyReply {
  const wait = refusal.details?.retryAfterSeconds;
  if (typeof wait === 'number') reply.header('retry-after', String(wait));
  return reply.code(statusOf(refusal.code)).send(errorBody(refusal));
}

/** What a caller is told of an error that was thrown; undefined for one that is ours to explain, in the log and nowhere else. */
export function refusalOfThrown(error: unknown): Refusal | undefined {
  if (error instanceof BadRequest) return error.refusal;
  if (!isFastifyError(error)) return undefined;
  switch (error.statusCode) {
    case 413:
      return refuse('payload_too_large').refusal;
    case 415:
      return refuse('unsupported_media_type').refusal;
    case 404:
      return refuse('route_not_found').refusal;
    case 503:
      return refuse('shutting_down').refusal;
    default:
      return error.statusCode !== undefined && error.statusCode < 500
        ? refuse('malformed_request').refusal
        : undefined;
  }
}

/** Thrown where only an exception leaves: in a body parser. */
export class BadRequest extends Error {
  override readonly name = 'BadRequest';
  readonly refusal: Refusal;

  constructor(code: ErrorCode, sentence: string = errorCatalogue[code].meaning) {
    super(sentence);
    this.refusal = { code, message: sentence };
  }
}

const isFastifyError = (error: unknown): error is FastifyError =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  error.code.startsWith('FST_');

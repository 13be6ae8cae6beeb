import { request as requestPlainly } from 'node:http';
import { request as requestSecurely } from 'node:https';
import type { PushResult } from '../../engine/ports/push.ts';
import { messageOf } from '../../protocol/errors.ts';
import type { PushFault } from '../../protocol/push.ts';
import { isPushEndpoint, lookupPublic } from './endpoint.ts';

/** How soon a push service should wake the device: `high` only for what blocks an agent. */
export type Urgency = 'normal' | 'high';

export interface PushRequest {
  readonly endpoint: string;
  readonly authorization: string;
  readonly body: Buffer;
  /** How long the push service keeps it for a device that is off. */
  readonly ttlSeconds: number;
  readonly urgency: Urgency;
  /** Of several with the same that were not delivered yet only the last is. At most 32 characters of base64url. */
  readonly topic: string;
}

export interface PostOptions {
  readonly allowLoopback: boolean;
  readonly signal: AbortSignal;
  readonly now: number;
}

const timeoutMs = 15_000;
const defaultRetryMs = 30_000;
const longestRetryMs = 60 * 60_000;

/** Hands a message to a push service. Redirects are not followed, and what it says beside its status is not read. */
export function postPush(
  push: PushRequest,
  { allowLoopback, signal, now }: PostOptions,
): Promise<PushResult> {
  if (!isPushEndpoint(push.endpoint, { allowLoopback }))
    return Promise.resolve(refused({ reason: 'its address is not a public one' }, undefined));
  const url = new URL(push.endpoint);
  const send = url.protocol === 'http:' ? requestPlainly : requestSecurely;
  return new Promise((resolve) => {
    const sent = send(
      url,
      {
        method: 'POST',
        // A connection that is kept open would not be looked up again.
        agent: false,
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
        ...(allowLoopback ? {} : { lookup: lookupPublic }),
        headers: {
          authorization: push.authorization,
          'content-type': 'application/octet-stream',
          'content-encoding': 'aes128gcm',
          'content-length': push.body.length,
          ttl: push.ttlSeconds,
          urgency: push.urgency,
          topic: push.topic,
        },
      },
      (reply) => {
        const { statusCode = 0, headers } = reply;
        reply.destroy();
        resolve(meaningOf(statusCode, headers['retry-after'], now));
      },
    );
    sent.on('error', (error) => resolve(refused({ reason: wordsFor(error) }, defaultRetryMs)));
    sent.end(push.body);
  });
}

function meaningOf(status: number, retryAfter: string | undefined, now: number): PushResult {
  if (status >= 200 && status < 300) return { is: 'taken' };
  if (status === 404 || status === 410) return { is: 'gone' };
  const mayPass = status === 429 || status >= 500;
  return refused(
    { reason: `it answered ${status}`, status },
    mayPass ? (retryMs(retryAfter, now) ?? defaultRetryMs) : undefined,
  );
}

/** Seconds, or a date. */
function retryMs(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), longestRetryMs);
}

const wordsFor = (error: Error): string =>
  error.name === 'TimeoutError' || error.name === 'AbortError'
    ? 'it did not answer in time'
    : `it cannot be reached: ${messageOf(error)}`;

const refused = (fault: PushFault, retryAfterMs: number | undefined): PushResult => ({
  is: 'refused',
  fault,
  retryAfterMs,
});

import type { PushResult } from '../../engine/ports/push.ts';
import type { PushFault } from '../../protocol/push.ts';
import { httpPost } from '../http-post.ts';
import { isPublicAddress, isPushEndpoint } from './endpoint.ts';

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

const defaultRetryMs = 30_000;
const longestRetryMs = 60 * 60_000;

/** Hands a message to a push service. */
export async function postPush(
  push: PushRequest,
  { allowLoopback, signal, now }: PostOptions,
): Promise<PushResult> {
  if (!isPushEndpoint(push.endpoint, { allowLoopback })) return refused({ reason: notPublic }, undefined);
  const answer = await httpPost(
    {
      url: push.endpoint,
      headers: {
        authorization: push.authorization,
        'content-type': 'application/octet-stream',
        'content-encoding': 'aes128gcm',
        ttl: push.ttlSeconds,
        urgency: push.urgency,
        topic: push.topic,
      },
      body: push.body,
    },
    {
      signal,
      isAllowed: (address) => allowLoopback || isPublicAddress(address),
      notAllowed: () => notPublic,
    },
  );
  if (answer.is === 'failed') return refused({ reason: answer.reason }, defaultRetryMs);
  return meaningOf(answer.status, answer.retryAfter, now);
}

const notPublic = 'Its address is not a public one.';

function meaningOf(status: number, retryAfter: string | undefined, now: number): PushResult {
  if (status >= 200 && status < 300) return { is: 'taken' };
  if (status === 404 || status === 410) return { is: 'gone' };
  const mayPass = status === 429 || status >= 500;
  return refused(
    { reason: `It answered ${status}.`, status },
    mayPass ? (retryMs(retryAfter, now) ?? defaultRetryMs) : undefined,
  );
}

/** Seconds, or a date. */
function retryMs(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), longestRetryMs);
}

const refused = (fault: PushFault, retryAfterMs: number | undefined): PushResult => ({
  is: 'refused',
  fault,
  retryAfterMs,
});

import { createHash } from 'node:crypto';
import type { Clock } from '../../engine/ports/clock.ts';
import type {
  AnswerTicket,
  PushDelivery,
  PushResult,
  PushSubscriptions,
  SubscribedDevice,
} from '../../engine/ports/push.ts';
import { answerableIn, type Notice, noticeTag, noticeText } from '../../model/notice.ts';
import { noticeWords } from '../../model/notice-words.ts';
import { NoticeKind, type PushAddress, type PushMessage } from '../../protocol/push.ts';
import type { Channel, Delivery } from '../channel.ts';
import { encryptPush, mostPlaintext, receiverKeys } from './encrypt.ts';
import { isPushEndpoint } from './endpoint.ts';
import { postPush, type Urgency } from './post-push.ts';
import { Tickets } from './tickets.ts';
import type { Vapid } from './vapid.ts';

export interface PushChannelOptions {
  readonly vapid: Vapid;
  readonly subscriptions: () => PushSubscriptions;
  /** What waits in all sessions. */
  readonly waiting: () => number;
  readonly clock: Clock;
  readonly graceMs: number;
  /** For a stand-in push service on this machine. */
  readonly allowLoopback: boolean;
  /** In place of a push service that cannot be reached from a test. */
  readonly post?: typeof postPush;
}

export const pushChannelName = 'push';

const dayMs = 24 * 60 * 60_000;
const leastMs = 60_000;
/** What was taken is remembered of so many notices, for those that are sent again because another device failed. */
const mostRemembered = 1_000;

/** Tells the devices that asked for it, whether their page is open or not. Each wants its own kinds, in its own words. */
export class PushChannel implements Channel, PushDelivery {
  readonly name = pushChannelName;
  readonly label = 'paired devices';
  readonly audience = 'people';
  readonly kinds: ReadonlySet<NoticeKind> = new Set(NoticeKind.options);
  readonly graceMs: number;
  readonly publicKey: string;
  readonly #options: PushChannelOptions;
  readonly #tickets: Tickets;
  /** The devices that took a notice, by its id. */
  readonly #taken = new Map<string, Set<string>>();
  /** What is under way to a device. */
  readonly #underWay = new Map<string, Set<AbortController>>();
  /** When a push service that said "later" may be called again for a device. */
  readonly #notBefore = new Map<string, number>();

  constructor(options: PushChannelOptions) {
    this.#options = options;
    this.graceMs = options.graceMs;
    this.publicKey = options.vapid.publicKey;
    this.#tickets = new Tickets(() => options.clock.elapsed());
  }

  async send(notice: Notice, signal: AbortSignal): Promise<Delivery> {
    if (notice.kind === 'answered') return { is: 'taken' };
    const { kind } = notice;
    const taken = this.#takenBy(notice.id);
    const devices = this.#devices().filter(
      ({ deviceId, kinds }) => kinds.includes(kind) && !taken.has(deviceId),
    );
    const results = await Promise.all(
      devices.map(async (device) => {
        const result = await this.#push(device, this.#messageFor(device, notice), {
          ttlMs: lifeOf(notice, this.#now()),
          urgency: kind === 'waits' ? 'high' : 'normal',
          signal,
        });
        if (result.is === 'taken') taken.add(device.deviceId);
        return result;
      }),
    );
    return deliveryOf(results);
  }

  async withdraw(notice: Notice, signal: AbortSignal): Promise<void> {
    const known = this.#taken.get(notice.id);
    // After a restart it is not known who took it: then all are told who may have.
    const devices = this.#devices().filter(
      ({ deviceId, kinds }) => kinds.includes('waits') && (known?.has(deviceId) ?? true),
    );
    this.#taken.delete(notice.id);
    const { title } = noticeText(notice, 'title');
    await Promise.all(
      devices.map((device) => {
        const { endpoint, language } = device;
        const message: PushMessage = {
          type: 'withdrawn',
          tag: noticeTag(notice),
          title,
          sessionId: notice.session.id,
          waiting: this.#options.waiting(),
          language,
          isSaid: isApple(endpoint),
        };
        return this.#push(device, message, { ttlMs: dayMs, urgency: 'normal', signal });
      }),
    );
  }

  isUsable({ endpoint, keys }: PushAddress): boolean {
    return isPushEndpoint(endpoint, this.#options) && receiverKeys(keys) !== undefined;
  }

  sendTest(device: SubscribedDevice): Promise<PushResult> {
    this.#notBefore.delete(device.deviceId);
    const { signal } = new AbortController();
    const message: PushMessage = { type: 'test', language: device.language };
    return this.#push(device, message, { ttlMs: leastMs, urgency: 'high', signal });
  }

  ticket(ticket: string, deviceId: string): AnswerTicket | undefined {
    return this.#tickets.find(ticket, deviceId);
  }

  /** The device that answered has put its notification away itself. */
  spend(ticket: string): void {
    const spent = this.#tickets.spend(ticket);
    if (spent !== undefined) this.#taken.get(spent.noticeId)?.delete(spent.deviceId);
  }

  forget(deviceId: string): void {
    this.#tickets.forget(deviceId);
    this.#notBefore.delete(deviceId);
    for (const sending of this.#underWay.get(deviceId) ?? []) sending.abort();
  }

  #messageFor(device: SubscribedDevice, notice: Exclude<Notice, { kind: 'answered' }>): PushMessage {
    const { deviceId, endpoint, text, language } = device;
    const told = {
      type: 'notice',
      kind: notice.kind,
      tag: noticeTag(notice),
      ...noticeText(notice, text, noticeWords[language]),
      sessionId: notice.session.id,
      waiting: this.#options.waiting(),
      language,
    } as const;
    const answerable = answerableIn(notice, text);
    // What does not fit is cut, and what is cut is not shown whole. Apple's notifications have no buttons.
    if (answerable === undefined || isApple(endpoint) || bytesOf(told) > mostPlaintext - 100)
      return shortened(told);
    const good = { deviceId, noticeId: notice.id, sessionId: notice.session.id, ...answerable };
    return { ...told, ticket: this.#tickets.issue(good, lifeOf(notice, this.#now())) };
  }

  async #push(
    device: SubscribedDevice,
    message: PushMessage,
    {
      ttlMs,
      urgency,
      signal,
    }: { readonly ttlMs: number; readonly urgency: Urgency; readonly signal: AbortSignal },
  ): Promise<PushResult> {
    const { vapid, clock, allowLoopback, post = postPush } = this.#options;
    const { deviceId, endpoint } = device;
    const wait = (this.#notBefore.get(deviceId) ?? 0) - clock.elapsed();
    if (wait > 0)
      return {
        is: 'refused',
        fault: { reason: 'Its push service wants to be left alone.' },
        retryAfterMs: wait,
      };
    const keys = receiverKeys(device.keys);
    if (keys === undefined)
      return { is: 'refused', fault: { reason: 'Its keys are none.' }, retryAfterMs: undefined };
    const removed = new AbortController();
    const under = this.#underWay.get(deviceId) ?? new Set();
    this.#underWay.set(deviceId, under.add(removed));
    const posted = await post(
      {
        endpoint,
        authorization: vapid.authorization(endpoint, this.#now()),
        body: encryptPush(Buffer.from(JSON.stringify(message)), keys),
        ttlSeconds: Math.round(ttlMs / 1000),
        urgency,
        topic: topicOf(message),
      },
      { allowLoopback, signal: AbortSignal.any([signal, removed.signal]), now: this.#now() },
    );
    under.delete(removed);
    if (under.size === 0) this.#underWay.delete(deviceId);
    if (removed.signal.aborted) return { is: 'gone' };
    if (!signal.aborted) this.#note(device, posted);
    return posted;
  }

  #note({ deviceId, endpoint }: SubscribedDevice, result: PushResult): void {
    const { subscriptions, clock } = this.#options;
    switch (result.is) {
      case 'taken':
        subscriptions().note(deviceId, undefined);
        return;
      case 'gone':
        this.forget(deviceId);
        subscriptions().end(deviceId, endpoint);
        return;
      case 'refused':
        subscriptions().note(deviceId, { at: clock.now(), ...result.fault });
        if (result.retryAfterMs !== undefined)
          this.#notBefore.set(deviceId, clock.elapsed() + result.retryAfterMs);
        return;
    }
  }

  #devices(): readonly SubscribedDevice[] {
    return this.#options.subscriptions().list();
  }

  #takenBy(noticeId: string): Set<string> {
    const known = this.#taken.get(noticeId) ?? new Set();
    this.#taken.delete(noticeId);
    this.#taken.set(noticeId, known);
    if (this.#taken.size > mostRemembered) this.#taken.delete(this.#taken.keys().next().value ?? '');
    return known;
  }

  #now(): number {
    return Date.parse(this.#options.clock.now());
  }
}

/** One device that may take it later is enough to try again; those that took it are not told twice. */
function deliveryOf(results: readonly PushResult[]): Delivery {
  const again = results.flatMap((result) =>
    result.is === 'refused' && result.retryAfterMs !== undefined
      ? [{ reason: result.fault.reason, afterMs: result.retryAfterMs }]
      : [],
  );
  const [soonest] = again.toSorted((a, b) => a.afterMs - b.afterMs);
  return soonest === undefined ? { is: 'taken' } : { is: 'later', ...soonest };
}

/** A question is of use until its own end, anything else for a day. */
function lifeOf(notice: Notice, now: number): number {
  if (notice.kind !== 'waits') return dayMs;
  const ends = notice.asks.flatMap(({ expiresAt }) =>
    expiresAt === undefined ? [] : [Date.parse(expiresAt)],
  );
  const last = ends.length === notice.asks.length ? Math.max(...ends) - now : dayMs;
  return Math.min(Math.max(last, leastMs), dayMs);
}

/** Safari takes the permission away from those who push and show nothing. */
const isApple = (endpoint: string): boolean => /(^|\.)push\.apple\.com$/.test(new URL(endpoint).hostname);

const topicOf = (message: PushMessage): string =>
  createHash('sha256')
    .update(message.type === 'test' ? 'test' : message.tag)
    .digest('base64url')
    .slice(0, 32);

const bytesOf = (message: PushMessage): number => Buffer.byteLength(JSON.stringify(message));

function shortened(message: Extract<PushMessage, { type: 'notice' }>): PushMessage {
  let fitting = message;
  while (bytesOf(fitting) > mostPlaintext && fitting.body.length > 1) {
    const body = fitting.body.slice(0, Math.floor(fitting.body.length * 0.8)).replace(/[\ud800-\udbff]$/, '');
    fitting = { ...fitting, body: `${body}…` };
  }
  return fitting;
}

import { createHash, createHmac } from 'node:crypto';
import type { Clock } from '../engine/ports/clock.ts';
import { type Notice, type NoticeKind, noticeText, type Sparseness } from '../model/notice.ts';
import type { SessionId } from '../protocol/ids.ts';
import type { Channel } from './channel.ts';
import { post } from './post.ts';

/** `beckon` for programs; the others for people: Slack and what takes its messages, and whatever shows the text it is sent. */
export const webhookFormats = ['beckon', 'slack', 'text'] as const;
export type WebhookFormat = (typeof webhookFormats)[number];

export interface WebhookSettings {
  readonly url: string;
  readonly format: WebhookFormat;
  readonly events: readonly (NoticeKind | 'answered')[];
  /** `whsec_` and base64; several while one is replaced by another. */
  readonly secrets: readonly string[];
  readonly detail: Sparseness;
  readonly graceMs: number;
}

export interface ChannelParts {
  readonly clock: Clock;
  /** Where a person finds the session; undefined as long as no address is known. */
  readonly link: (sessionId: SessionId) => string | undefined;
  readonly patienceMs?: number | undefined;
}

export function webhook(settings: WebhookSettings, { clock, link, patienceMs }: ChannelParts): Channel {
  const { url, format, events, secrets, detail, graceMs } = settings;
  return {
    name: `webhook-${fingerprint(`${format} ${url}`)}`,
    // Its path may be all that keeps others from sending there.
    label: `webhook (${format}) ${new URL(url).host}`,
    audience: format === 'beckon' ? 'programs' : 'people',
    kinds: new Set(events),
    graceMs,
    send(notice, signal) {
      const body = bodyOf(notice, format, detail, link(notice.session.id));
      const timestamp = Math.floor(Date.parse(clock.now()) / 1000);
      const signed = signature(secrets, notice.id, timestamp, body);
      return post(
        {
          url,
          body,
          headers: {
            'content-type': format === 'text' ? 'text/plain; charset=utf-8' : 'application/json',
            'webhook-id': notice.id,
            'webhook-timestamp': String(timestamp),
            ...(secrets.length > 0 && { 'webhook-signature': signed }),
          },
        },
        signal,
        patienceMs,
      );
    },
  };
}

export const fingerprint = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 16);

/** As Standard Webhooks has it: one signature for each secret, so that a receiver can change from one to the other. */
const signature = (secrets: readonly string[], id: string, timestamp: number, body: string): string =>
  secrets
    .map((secret) => Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
    .map((key) => createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64'))
    .map((signed) => `v1,${signed}`)
    .join(' ');

function bodyOf(notice: Notice, format: WebhookFormat, detail: Sparseness, url: string | undefined): string {
  const { title, body } = noticeText(notice, detail);
  switch (format) {
    case 'beckon':
      return JSON.stringify(documentOf(notice, detail, url));
    case 'slack':
      return JSON.stringify(slackMessage(title, body, url));
    case 'text':
      return [title, body, ...(url === undefined ? [] : [url])].join('\n');
  }
}

/** What programs get: names of ours, and as much of what was asked as was chosen. */
function documentOf(notice: Notice, detail: Sparseness, url: string | undefined): object {
  const { id, key, title, agent } = notice.session;
  const session = { sessionId: id, sessionKey: key, title, agent, ...(url !== undefined && { url }) };
  return {
    type: `session.${notice.kind}`,
    timestamp: notice.at,
    data: { ...session, ...moreOf(notice, detail) },
  };
}

function moreOf(notice: Notice, detail: Sparseness): object {
  switch (notice.kind) {
    case 'waits':
    case 'answered': {
      const interactions = notice.asks.map(
        ({ interactionId, kind, toolName, text, isOfSubAgent, expiresAt }) => ({
          interactionId,
          kind,
          toolName,
          subAgent: isOfSubAgent,
          ...(detail === 'full' && { text }),
          ...(expiresAt !== undefined && { expiresAt }),
        }),
      );
      return notice.kind === 'waits'
        ? { interactions }
        : { interactions, outcome: notice.outcome, by: notice.by };
    }
    case 'failed':
      return detail === 'full' ? { reason: notice.reason } : {};
    case 'done':
      return {};
  }
}

/**
 * What an agent said is in parts that Slack shows as they are: elsewhere it could call everybody, or look like a link. The text is for
 * what knows no such parts, with Slack's own signs made harmless.
 */
function slackMessage(title: string, body: string, url: string | undefined): object {
  const plain = (text: string) => ({ type: 'plain_text', text, emoji: false });
  const link = url === undefined ? [] : [{ type: 'mrkdwn', text: `<${escaped(url)}|Open in Beckon>` }];
  return {
    text: escaped([title, body, ...(url === undefined ? [] : [url])].join('\n')),
    blocks: [
      { type: 'section', text: plain(title) },
      { type: 'section', text: plain(body) },
      ...link.map((text) => ({ type: 'context', elements: [text] })),
    ],
  };
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

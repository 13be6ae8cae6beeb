import { z } from 'zod';
import { noticeKinds, sparsenesses } from '../model/notice.ts';
import { isTimeZone } from '../model/quiet-hours.ts';
import type { Channel } from '../reach/channel.ts';
import { type NtfySettings, ntfy } from '../reach/ntfy.ts';
import type { Quiet } from '../reach/restraint.ts';
import { type ChannelParts, type WebhookSettings, webhook, webhookFormats } from '../reach/webhook.ts';

const seconds = z.number().min(0).max(86_400);
const address = z
  .url({ protocol: /^https?$/, error: 'an http or https address is expected' })
  .refine((url) => !/^[^:]+:\/\/[^/]*@/.test(url), 'an address must not hold a password');
const secret = z
  .string()
  .refine(isSecret, 'a secret is "whsec_" and 24 to 64 bytes as base64: "whsec_$(openssl rand -base64 32)"');
const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time like 22:00 is expected');

const Webhook = z
  .strictObject({
    url: address,
    /** One, or several while one is replaced by another: what is sent is signed with each. */
    secret: z.union([secret, z.array(secret).min(1).max(5)]).optional(),
    events: z
      .array(z.enum([...noticeKinds, 'answered']))
      .min(1)
      .optional(),
    format: z.enum(webhookFormats).optional(),
    detail: z.enum(sparsenesses).optional(),
    /** Seconds until it is told; of people, who may see it on the page before. */
    after: seconds.optional(),
  })
  .superRefine(({ format = 'beckon', events, after }, { addIssue }) => {
    if (format === 'beckon' && after !== undefined)
      addIssue({
        code: 'custom',
        path: ['after'],
        message: 'programs are told at once; only "slack" and "text" wait',
      });
    if (format !== 'beckon' && events?.includes('answered'))
      addIssue({
        code: 'custom',
        path: ['events'],
        message: 'only the format "beckon" tells what was answered',
      });
  });

const Ntfy = z.strictObject({
  server: address.optional(),
  topic: z.string().regex(/^[-_A-Za-z0-9]{1,64}$/, 'a topic has letters, digits, "-" and "_", at most 64'),
  token: z.string().min(1).optional(),
  kinds: z.array(z.enum(noticeKinds)).min(1).optional(),
  detail: z.enum(sparsenesses).optional(),
  after: seconds.optional(),
});

/** Of people: how long they have to see something on the page, and when they sleep. */
const Notifications = z.strictObject({
  after: seconds.optional(),
  quietHours: z
    .strictObject({
      from: timeOfDay,
      to: timeOfDay,
      timeZone: z
        .string()
        .refine(isTimeZone, 'there is no such time zone; one is "Europe/Berlin"')
        .optional(),
      /** What is told also then. */
      except: z.array(z.enum(noticeKinds)).optional(),
    })
    .optional(),
});

/** The fields of the configuration that are about notifications. */
export const notificationFields = {
  notifications: Notifications.optional(),
  webhooks: z
    .array(Webhook)
    .max(50)
    .refine(
      (all) => isEachOnce(all.map(({ url, format = 'beckon' }) => `${format} ${url}`)),
      'an address stands here twice',
    )
    .optional(),
  ntfy: z
    .array(Ntfy)
    .max(50)
    .refine(
      (all) => isEachOnce(all.map(({ server, topic }) => `${server} ${topic}`)),
      'a topic stands here twice',
    )
    .optional(),
};

type Config = z.infer<z.ZodObject<typeof notificationFields>>;

export interface NotificationSettings {
  readonly graceMs: number;
  readonly quiet: Quiet | undefined;
  readonly webhooks: readonly WebhookSettings[];
  readonly ntfy: readonly NtfySettings[];
}

const defaultGraceSeconds = 10;

export function notificationSettings({
  notifications = {},
  webhooks = [],
  ntfy: topics = [],
}: Config): NotificationSettings {
  const { after: grace = defaultGraceSeconds, quietHours } = notifications;
  return {
    graceMs: grace * 1000,
    quiet: quietHours,
    webhooks: webhooks.map(
      ({ url, secret: given, events, format = 'beckon', detail = 'full', after = grace }) => ({
        url,
        format,
        events: events ?? (format === 'beckon' ? [...noticeKinds, 'answered'] : ['waits', 'failed']),
        secrets: given === undefined ? [] : [given].flat(),
        detail,
        graceMs: after * 1000,
      }),
    ),
    ntfy: topics.map(
      ({
        server = 'https://ntfy.sh',
        topic,
        token,
        kinds = ['waits', 'failed'],
        detail = 'title',
        after = grace,
      }) => ({
        // JSON is taken at the root alone.
        server: new URL('/', server).href,
        topic,
        token,
        kinds,
        detail,
        graceMs: after * 1000,
      }),
    ),
  };
}

export const configuredChannels = (settings: NotificationSettings, parts: ChannelParts): Channel[] => [
  ...settings.webhooks.map((each) => webhook(each, parts)),
  ...settings.ntfy.map((each) => ntfy(each, parts)),
];

function isSecret(text: string): boolean {
  const [, encoded] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  const { length } = Buffer.from(encoded ?? '', 'base64');
  return encoded !== undefined && length >= 24 && length <= 64;
}

const isEachOnce = (names: readonly string[]): boolean => new Set(names).size === names.length;

import { z } from 'zod';

/** What people can be told of outside the page, the most urgent first. */
export const NoticeKind = z.enum(['waits', 'failed', 'done']);
export type NoticeKind = z.infer<typeof NoticeKind>;

/** How much a notice tells to whoever looks at the device: nothing of what is asked, or that as well. */
export const Sparseness = z.enum(['title', 'full']);
export type Sparseness = z.infer<typeof Sparseness>;

/** The languages in which a notification is worded. */
export const PushLanguage = z.enum(['en', 'de']);
export type PushLanguage = z.infer<typeof PushLanguage>;

/** What a device wants to be told, and how. */
export const PushWishes = z.object({
  kinds: z.array(NoticeKind).min(1).max(NoticeKind.options.length),
  text: Sparseness,
  language: PushLanguage,
});
export type PushWishes = z.infer<typeof PushWishes>;

/** Where its push service takes messages for a browser, and the keys they are encrypted with: a secret of that device. */
export const PushAddress = z.object({
  endpoint: z.string().min(1).max(2048),
  keys: z.strictObject({ p256dh: z.string().min(1).max(200), auth: z.string().min(1).max(100) }),
});
export type PushAddress = z.infer<typeof PushAddress>;

/** Why a push service did not take a message. */
export const PushFault = z.object({
  reason: z.string(),
  /** What it answered, where it did. */
  status: z.number().optional(),
});
export type PushFault = z.infer<typeof PushFault>;

export const PushFailure = PushFault.extend({ at: z.string() });
export type PushFailure = z.infer<typeof PushFailure>;

/** The answers that a notification offers. */
export const PushDecision = z.enum(['allow', 'deny']);
export type PushDecision = z.infer<typeof PushDecision>;

/** What the server says to the worker of a device, encrypted for it. The worker says its own words in `language`. */
export type PushMessage =
  | {
      readonly type: 'notice';
      readonly kind: NoticeKind;
      /** A later one with the same takes the place of the earlier. */
      readonly tag: string;
      readonly title: string;
      readonly body: string;
      readonly sessionId: string;
      /** What waits in all sessions, for the badge. */
      readonly waiting: number;
      readonly language: PushLanguage;
      /** Only where the body is all there is to know of what is asked. */
      readonly ticket?: string;
    }
  | {
      /** What was told is over. */
      readonly type: 'withdrawn';
      readonly tag: string;
      readonly title: string;
      readonly sessionId: string;
      readonly waiting: number;
      readonly language: PushLanguage;
      /** Where a push that shows nothing costs the permission, it is said that it is over, quietly. */
      readonly isSaid: boolean;
    }
  | { readonly type: 'test'; readonly language: PushLanguage };

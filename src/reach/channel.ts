import type { Notice, NoticeKind } from '../model/notice.ts';

/** A way to reach somebody outside of the page: a phone, a chat, a program. */
export interface Channel {
  /** Stable over restarts: what was delivered is remembered under it. */
  readonly name: string;
  /** What people call it, without anything secret. */
  readonly label: string;
  /**
   * People are told once it is likely that they do not see it themselves, of several asks at once, and not of what is over.
   * Programs are told of everything, at once, each thing by itself.
   */
  readonly audience: 'people' | 'programs';
  readonly kinds: ReadonlySet<NoticeKind | 'answered'>;
  /** How long something is left to be seen on the page before it is told here. Of no effect for programs. */
  readonly graceMs: number;
  /** Tries once. Never rejects; a notice that comes again has the same id. */
  send(notice: Notice, signal: AbortSignal): Promise<Delivery>;
  /** What was told has been answered or is over: take it off the screen, where that can be done. Tried once, and best effort. */
  withdraw?(notice: Notice, signal: AbortSignal): Promise<void>;
}

export type Delivery =
  | { readonly is: 'taken' }
  /** It did not work this time; not before `afterMs`, where the other side says so. */
  | { readonly is: 'later'; readonly reason: string; readonly afterMs?: number }
  /** The other side wants nothing any more: the channel is left alone until the next start. */
  | { readonly is: 'gone'; readonly reason: string };

import type { InteractionId, SessionId } from '../../protocol/ids.ts';
import type { PushAddress, PushFailure, PushFault, PushWishes } from '../../protocol/push.ts';

/** A device that wants to be told of what happens while its page is closed. */
export interface SubscribedDevice extends PushAddress, PushWishes {
  readonly deviceId: string;
}

/** What the store of devices knows of their subscriptions. One ends with its device, in the same act. */
export interface PushSubscriptions {
  list(): readonly SubscribedDevice[];
  /** Its push service knows it no more. A newer subscription of the same device is left alone. */
  end(deviceId: string, endpoint: string): void;
  /** Why the last message was not taken; undefined when it was. */
  note(deviceId: string, failure: PushFailure | undefined): void;
}

/** What one notification may answer, and nothing else: this ask, as it was shown there, from that device. */
export interface AnswerTicket {
  readonly deviceId: string;
  readonly sessionId: SessionId;
  readonly interactionId: InteractionId;
  readonly shown: string;
}

/** What came of handing a message to a push service. */
export type PushResult =
  | { readonly is: 'taken' }
  /** The subscription is over: nothing will ever be taken for it again. */
  | { readonly is: 'gone' }
  /** Kept, with the reason; it may be tried again after this time, or not at all. */
  | { readonly is: 'refused'; readonly fault: PushFault; readonly retryAfterMs: number | undefined };

/** The push messages, as whoever serves the devices sees them. */
export interface PushDelivery {
  /** What a page subscribes with, in base64url. */
  readonly publicKey: string;
  /** Whether messages can be encrypted for it, and may be sent there. */
  isUsable(address: PushAddress): boolean;
  sendTest(device: SubscribedDevice): Promise<PushResult>;
  /** What the ticket is good for; undefined where it is not this device's, or no more. */
  ticket(ticket: string, deviceId: string): AnswerTicket | undefined;
  spend(ticket: string): void;
  /** Ends what is under way to a device, and all that it was given to answer with. */
  forget(deviceId: string): void;
}

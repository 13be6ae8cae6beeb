export { type Shown, shownDigest } from '../model/shown-digest.ts';
export { BeckonError, type BeckonErrorCode } from './beckon-error.ts';
export { DirectTransport } from './direct-transport.ts';
export { HttpTransport, type HttpTransportOptions } from './http-transport.ts';
export type { RetryPolicy } from './stay-connected.ts';
export type {
  ConnectionState,
  EventsPage,
  Following,
  FoundEvent,
  MessageReceipt,
  RoomSnapshot,
  Subscription,
  Transport,
  Unsubscribe,
} from './transport.ts';

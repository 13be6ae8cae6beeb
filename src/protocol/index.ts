/** What other programs import, as `beckon/protocol`: everything that goes over the wire, as schemas and as types. */
export * from './announcement.ts';
export * from './command.ts';
export { type ErrorCode, errorCatalogue, type Refusal, statusOf } from './errors.ts';
export {
  Delta,
  type Durability,
  type Event,
  type EventOf,
  type EventType,
  eventDefinitions,
} from './event.ts';
export * from './frame.ts';
export * from './grant.ts';
export * from './ids.ts';
export * from './interaction.ts';
export * from './machine.ts';
export * from './operation.ts';
export * from './policy.ts';
export * from './reply.ts';
export * from './review.ts';
export * from './rule.ts';
export * from './server-operation.ts';
export * from './session.ts';
export * from './tool.ts';
export * from './tool-call.ts';
export * from './unlock.ts';

import { z } from 'zod';

/** Ids are branded, so that a message's id cannot be passed where a session's is wanted. */
export const SessionId = z.string().min(1).brand<'SessionId'>();
export type SessionId = z.infer<typeof SessionId>;

export const MessageId = z.string().min(1).brand<'MessageId'>();
export type MessageId = z.infer<typeof MessageId>;

export const InteractionId = z.string().min(1).brand<'InteractionId'>();
export type InteractionId = z.infer<typeof InteractionId>;

export const GrantId = z.string().min(1).brand<'GrantId'>();
export type GrantId = z.infer<typeof GrantId>;

export const RuleId = z.string().min(1).brand<'RuleId'>();
export type RuleId = z.infer<typeof RuleId>;

export const CommentId = z.string().min(1).brand<'CommentId'>();
export type CommentId = z.infer<typeof CommentId>;

export const ClientId = z.string().min(1).brand<'ClientId'>();
export type ClientId = z.infer<typeof ClientId>;

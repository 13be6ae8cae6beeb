import { z } from 'zod';
import { AnswerQuestion, Approve, Respond, SendMessage } from './command.ts';

const frame = { id: z.union([z.string(), z.number()]).optional() };
/** `stageId` is another system's word for a session's key. */
const session = { sessionId: z.string().min(1).optional(), stageId: z.string().min(1).optional() };

/** What a WebSocket client may say. */
export const ClientFrame = z.discriminatedUnion('type', [
  z.object({
    ...frame,
    type: z.literal('hello'),
    client: z.unknown().optional(),
    key: z.string().max(200).optional(),
    interaction: z.object({ supported: z.boolean(), enabled: z.boolean() }).optional(),
  }),
  z.object({ ...frame, type: z.literal('set_interaction_mode'), enabled: z.boolean() }),
  z.object({ ...frame, ...session, type: z.literal('subscribe'), after: z.number().int().min(0).optional() }),
  z.object({ ...frame, ...session, type: z.literal('unsubscribe') }),
  SendMessage.extend({ ...frame, ...session, type: z.literal('send_message') }),
  Approve.extend({ ...frame, ...session, type: z.literal('approve_tool') }),
  AnswerQuestion.extend({ ...frame, ...session, type: z.literal('answer_question') }),
  z.object({ ...frame, ...session, type: z.literal('interrupt') }),
  z.object({ ...frame, ...session, type: z.literal('stop') }),
  Respond.extend({ ...frame, ...session, type: z.literal('tool_interaction_response') }),
]);
export type ClientFrame = z.infer<typeof ClientFrame>;

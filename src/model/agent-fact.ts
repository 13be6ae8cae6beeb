import { z } from 'zod';
import { Delta, eventDefinitions } from '../protocol/event.ts';
import { MessageId } from '../protocol/ids.ts';
import { Ask } from '../protocol/interaction.ts';
import { AgentCommand, AgentOption, Capabilities, ContextUse, RunIsolation } from '../protocol/session.ts';

const fact = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.object({ type: z.literal(type), ...shape });

/** Something that could not be understood, which is also in the raw log. Each one is reported: the engine counts them. */
const Diagnostic = fact('diagnostic', {
  code: z.string(),
  text: z.string(),
  sample: z.string().exactOptional(),
});
export type Diagnostic = Readonly<z.infer<typeof Diagnostic>>;

const said = <T extends keyof typeof eventDefinitions>(type: T) =>
  fact(type, eventDefinitions[type].schema.shape as (typeof eventDefinitions)[T]['schema']['shape']);

const Image = z.object({ mediaType: z.string(), data: z.string() });

/** What an agent's process did or said, in words no vendor owns. */
export const AgentFact = z.discriminatedUnion('type', [
  /** It can take messages now. */
  fact('ready', {
    agentSessionId: z.string().nullable(),
    version: z.string().nullable(),
    capabilities: Capabilities,
    /** Left out where it is not known. */
    isolation: RunIsolation.exactOptional(),
  }),
  /** Its own session id, when it is told later or changes. */
  fact('identified', { agentSessionId: z.string() }),
  /** It has shown that it took the message: from here on the message is in its context. */
  fact('message-taken', {
    messageId: MessageId,
    /** It had the message already, from before it was started again: no turn follows. */
    again: z.boolean().exactOptional(),
  }),
  /**
   * It has begun to work, on a message or by itself. `messageIds`, where the agent tells them, are the messages it works on: none
   * when it began by itself.
   */
  fact('turn-started', { messageIds: z.array(MessageId).readonly().exactOptional() }),
  fact('turn-ended', {
    /** `suspended`: it was told to leave its open question for later. */
    outcome: eventDefinitions['turn.ended'].schema.shape.outcome.exclude(['lost']),
    error: z.string().exactOptional(),
    durationMs: z.number().exactOptional(),
    usage: eventDefinitions['turn.ended'].schema.shape.usage,
    /** What this turn cost, not the total so far. */
    costUsd: z.number().exactOptional(),
    context: ContextUse.exactOptional(),
    /** Its own name for the place that its conversation has reached, where it can be forked there. */
    reached: z.string().exactOptional(),
  }),
  /** `images` belong to a tool's result; the engine stores them and puts references into the event. */
  fact('said', {
    event: z.discriminatedUnion('type', [
      said('agent.text'),
      said('agent.thinking'),
      said('agent.notice'),
      said('user.text'),
      said('tool.called'),
      said('tool.result'),
      said('task.changed'),
    ]),
    images: z.array(Image).readonly().exactOptional(),
  }),
  fact('delta', { delta: Delta }),
  fact('asked', { ask: Ask }),
  fact('withdrawn', { agentRequestId: z.string() }),
  /** All that it said while nobody listened has been reported. */
  fact('caught-up', {}),
  /** It is gone, while the reading of its output was paused; `exited` comes behind what is unread. */
  fact('ending', {}),
  fact('mode-changed', { permissionMode: z.string() }),
  fact('model-changed', { model: z.string() }),
  /** What else can be set of it, all of it each time. */
  fact('options-changed', { options: z.array(AgentOption).readonly() }),
  /** What it calls the conversation. */
  fact('titled', { title: z.string() }),
  /** All it can be told to do by `/name`; may be said again and again. */
  fact('commands-changed', { commands: z.array(AgentCommand).readonly() }),
  Diagnostic,
  fact('exited', {
    code: z.number().nullable(),
    signal: z.string().nullable(),
    /** Set when it never started: a missing program, a directory that is gone. */
    startError: z.string().exactOptional(),
    /** Set when it went with whatever kept it, not by any fault of its own. */
    hostLost: z.string().exactOptional(),
    stderr: z.array(z.string()).readonly(),
  }),
]);
export type AgentFact = Readonly<z.infer<typeof AgentFact>>;

export type FactOf<T extends AgentFact['type']> = Extract<AgentFact, { type: T }>;

/** `count`: how many of this kind there were in this run of the agent so far. */
export type CountedDiagnostic = Diagnostic & { readonly count: number };

export type CountedFact = Exclude<AgentFact, Diagnostic> | CountedDiagnostic;

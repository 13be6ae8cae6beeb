import type { Delta, NewEventOf } from '../protocol/event.ts';
import type { MessageId } from '../protocol/ids.ts';
import type { Ask } from '../protocol/interaction.ts';
import type {
  AgentCommand,
  AgentOption,
  Capabilities,
  ContextUse,
  RunIsolation,
} from '../protocol/session.ts';

/** What an agent's process did or said, in words no vendor owns. */
export type AgentFact =
  /** It can take messages now. */
  | {
      readonly type: 'ready';
      readonly agentSessionId: string | null;
      readonly version: string | null;
      readonly capabilities: Capabilities;
      /** Left out where it is not known. */
      readonly isolation?: RunIsolation;
    }
  /** Its own session id, when it is told later or changes. */
  | { readonly type: 'identified'; readonly agentSessionId: string }
  /** It has shown that it took the message: from here on the message is in its context. */
  | {
      readonly type: 'message-taken';
      readonly messageId: MessageId;
      /** It had the message already, from before it was started again: no turn follows. */
      readonly again?: boolean;
    }
  /** It has begun to work, on a message or by itself. */
  /** `messageIds`, where the agent tells them, are the messages it works on: none when it began by itself. */
  | { readonly type: 'turn-started'; readonly messageIds?: readonly MessageId[] }
  | {
      readonly type: 'turn-ended';
      /** `suspended`: it was told to leave its open question for later. */
      readonly outcome: 'completed' | 'interrupted' | 'failed' | 'suspended';
      readonly error?: string;
      readonly durationMs?: number;
      readonly usage?: NewEventOf<'turn.ended'>['usage'];
      /** What this turn cost, not the total so far. */
      readonly costUsd?: number;
      readonly context?: ContextUse;
    }
  /** `images` belong to a tool's result; the engine stores them and puts references into the event. */
  | {
      readonly type: 'said';
      readonly event: Said;
      readonly images?: readonly { readonly mediaType: string; readonly data: string }[];
    }
  | { readonly type: 'delta'; readonly delta: Delta }
  | { readonly type: 'asked'; readonly ask: Ask }
  | { readonly type: 'withdrawn'; readonly agentRequestId: string }
  /** All that it said while nobody listened has been reported. */
  | { readonly type: 'caught-up' }
  /** It is gone, while the reading of its output was paused; `exited` comes behind what is unread. */
  | { readonly type: 'ending' }
  | { readonly type: 'mode-changed'; readonly permissionMode: string }
  | { readonly type: 'model-changed'; readonly model: string }
  /** What else can be set of it, all of it each time. */
  | { readonly type: 'options-changed'; readonly options: readonly AgentOption[] }
  /** What it calls the conversation. */
  | { readonly type: 'titled'; readonly title: string }
  /** All it can be told to do by `/name`; may be said again and again. */
  | { readonly type: 'commands-changed'; readonly commands: readonly AgentCommand[] }
  | Diagnostic
  | {
      readonly type: 'exited';
      readonly code: number | null;
      readonly signal: string | null;
      /** Set when it never started: a missing program, a directory that is gone. */
      readonly startError?: string;
      /** Set when it went with whatever kept it, not by any fault of its own. */
      readonly hostLost?: string;
      readonly stderr: readonly string[];
    };

export type FactOf<T extends AgentFact['type']> = Extract<AgentFact, { type: T }>;

/** Something that could not be understood, which is also in the raw log. Each one is reported: the engine counts them. */
export interface Diagnostic {
  readonly type: 'diagnostic';
  readonly code: string;
  readonly text: string;
  readonly sample?: string;
}

/** `count`: how many of this kind there were in this run of the agent so far. */
export type CountedDiagnostic = Diagnostic & { readonly count: number };

export type CountedFact = Exclude<AgentFact, Diagnostic> | CountedDiagnostic;

type Said = NewEventOf<
  | 'agent.text'
  | 'agent.thinking'
  | 'agent.notice'
  | 'user.text'
  | 'tool.called'
  | 'tool.result'
  | 'task.changed'
>;

import type { Field, FieldValues } from './field.ts';

/** How long an approval holds. The tool keeps it, with `context.approvals`. */
export type ApprovalScope = 'once' | 'session' | 'always';

export interface FormSchema<Fields extends readonly Field[] = readonly Field[]> {
  readonly type: 'form';
  readonly fields: Fields;
}

/** What a person said to an approval. */
export type ApprovalResponse<Fields extends readonly Field[] = readonly Field[]> =
  | {
      readonly action: 'approve';
      readonly approvalScope: ApprovalScope;
      /** What was filled in beside the approval. Empty without an `inputSchema`. */
      readonly input: FieldValues<Fields>;
    }
  | { readonly action: 'deny'; readonly reason: string };

/** What a person said to a form. */
export type InputResponse<Fields extends readonly Field[] = readonly Field[]> =
  | { readonly action: 'submit'; readonly input: FieldValues<Fields> }
  | { readonly action: 'cancel'; readonly reason: string };

/** What a person said. */
export type InteractionResponse<Fields extends readonly Field[] = readonly Field[]> =
  | ApprovalResponse<Fields>
  | InputResponse<Fields>;

/** How it is shown when it is over. Left out: what was filled in. */
export interface CompletedView {
  /**
   * A sentence, in which `{{field}}` stands for what was filled in there and `{{action}}` for what the person did: approved, denied,
   * submitted or cancelled, in their language. A field without a value is empty. Values are shown as plain text.
   */
  readonly summaryTemplate?: string;
  /** Whether what was filled in is shown as well. When left out: only where there is no sentence. */
  readonly showInputs?: boolean;
  /** The older spelling of `summaryTemplate`, with `{field}`, for what was filled in alone. */
  readonly summary?: string;
}

/** Ask again, in the same place. What is left out stays as it was, and what was typed is kept. */
export interface Reprompt {
  /** Another one than before: `onResponse` then hears the answers to that. */
  readonly type?: 'approval' | 'input';
  /** Why it is asked again; shown with the form. */
  readonly error?: string;
  readonly prompt?: string;
  readonly inputSchema?: FormSchema;
  /** Takes the place of what was typed, field by field. */
  readonly initialValues?: Readonly<Record<string, unknown>>;
  readonly approvalScopes?: readonly ApprovalScope[];
  readonly timeoutMs?: number;
  readonly presentation?: 'tool' | 'questionnaire';
  readonly completedView?: CompletedView;
}

/** End the call now; the answer may come later. */
export interface Pending {
  /** What the agent is told now, and what the card says. */
  readonly message: string;
  /**
   * True when left out: the ask stays open, also across a restart, and the answer reaches the agent as a message.
   * False: nothing stays open here, because the answer comes by a way of the tool's own.
   */
  readonly queued?: boolean;
}

/** What follows from an answer, or from the time limit. Exactly one of the three. */
export type InteractionOutcome<Result = unknown> =
  | { readonly complete: Result }
  | { readonly reprompt: Reprompt }
  | { readonly pending: Pending };

/** What `requestInteraction` gives when the outcome was `pending`: return it, and the agent knows that the answer comes later. */
export interface QueuedResult {
  readonly status: 'queued' | 'pending';
  readonly message: string;
}

/** What to do where nobody is connected who can and wants to answer. */
export type WhenNobody = 'fail' | 'leave open';

interface CommonRequest<Nobody extends WhenNobody> {
  /** The question, as the person reads it. Left out, an approval asks whether to allow the tool, by its name. */
  readonly prompt?: string;
  /** What the fields hold at first. Goes before their `defaultValue`. */
  readonly initialValues?: Readonly<Record<string, unknown>>;
  /** Shown with the form, for something that is wrong already. */
  readonly error?: string;
  /** Five minutes when left out; 0 means no limit. */
  readonly timeoutMs?: number;
  /** `tool` (when left out): in the block of the call; `questionnaire`: standing alone. */
  readonly presentation?: 'tool' | 'questionnaire';
  readonly completedView?: CompletedView;
  /**
   * `fail` (when left out): `requestInteraction` throws `interaction_unavailable`. `leave open`: it gives a `QueuedResult` at once, the
   * question stays open, and the answer reaches the agent as a message, as after `pending`.
   */
  readonly whenNobody?: Nobody;
  /**
   * Called once when nobody will answer any more and no other handler decides: the run ended, or the time limit was reached and
   * there is no `onTimeout`. The promise is rejected as well; what this returns is not waited for.
   */
  readonly onCancel?: (reason: string) => void | Promise<void>;
}

interface Handlers<Response, Answered extends InteractionOutcome, TimedOut extends InteractionOutcome> {
  /** Called with each answer, also with one that comes after `pending`: then `complete` becomes a message to the agent. */
  readonly onResponse: (response: Response) => Answered | Promise<Answered>;
  /** Called at the time limit. An answer that comes while it runs wins, and what this gives is dropped. */
  readonly onTimeout?: () => TimedOut | Promise<TimedOut>;
}

/** Asks for a yes or no, and, with an `inputSchema`, for values beside it. */
export interface ApprovalRequest<
  Fields extends readonly Field[] = readonly Field[],
  Answered extends InteractionOutcome = InteractionOutcome,
  TimedOut extends InteractionOutcome = InteractionOutcome,
  Nobody extends WhenNobody = WhenNobody,
> extends CommonRequest<Nobody>,
    Handlers<ApprovalResponse<Fields>, Answered, TimedOut> {
  readonly type: 'approval';
  /** `once` and `session` when left out. */
  readonly approvalScopes?: readonly ApprovalScope[];
  readonly inputSchema?: FormSchema<Fields>;
}

/** Asks for values. */
export interface InputRequest<
  Fields extends readonly Field[] = readonly Field[],
  Answered extends InteractionOutcome = InteractionOutcome,
  TimedOut extends InteractionOutcome = InteractionOutcome,
  Nobody extends WhenNobody = WhenNobody,
> extends CommonRequest<Nobody>,
    Handlers<InputResponse<Fields>, Answered, TimedOut> {
  readonly type: 'input';
  readonly inputSchema: FormSchema<Fields>;
}

/** What the promise of `requestInteraction` holds, by what the handlers give. */
export type ResultOf<Outcome extends InteractionOutcome> = Outcome extends { readonly complete: infer Result }
  ? Result
  : Outcome extends { readonly pending: Pending }
    ? QueuedResult
    : never;

type LeftResult<Nobody extends WhenNobody> = Nobody extends 'leave open' ? QueuedResult : never;

/**
 * Puts a request before a person, and gives what its handlers make of the answer.
 *
 * @throws ToolError `interaction_unavailable` when nobody is there who can and wants to answer, unless `whenNobody` says otherwise;
 * `interaction_expired` and `run_ended` when there will be no answer; `too_many_reprompts` at the eleventh in a row.
 */
export interface RequestInteraction {
  <
    const Fields extends readonly Field[] = readonly [],
    Answered extends InteractionOutcome = InteractionOutcome,
    TimedOut extends InteractionOutcome = never,
    Nobody extends WhenNobody = 'fail',
  >(
    request: ApprovalRequest<Fields, Answered, TimedOut, Nobody>,
  ): Promise<ResultOf<Answered | TimedOut> | LeftResult<Nobody>>;
  <
    const Fields extends readonly Field[],
    Answered extends InteractionOutcome = InteractionOutcome,
    TimedOut extends InteractionOutcome = never,
    Nobody extends WhenNobody = 'fail',
  >(
    request: InputRequest<Fields, Answered, TimedOut, Nobody>,
  ): Promise<ResultOf<Answered | TimedOut> | LeftResult<Nobody>>;
}

/** The codes that Beckon itself gives; a tool may use words of its own. */
export type ToolErrorCode =
  /** No connected client can and wants to answer. */
  | 'interaction_unavailable'
  /** The time limit was reached, and the request has no `onTimeout`. */
  | 'interaction_expired'
  /** Asked again ten times in a row, and the eleventh was wanted. */
  | 'too_many_reprompts'
  /** The request itself cannot be shown: two fields of one id, a choice without options. */
  | 'invalid_request'
  /** `onResponse` or `onTimeout` gave something else than `{complete}`, `{reprompt}` or `{pending}`. */
  | 'invalid_outcome'
  /** The arguments do not fit the tool's input. */
  | 'invalid_arguments'
  /** The call is over: it was cancelled, its turn interrupted, its session stopped, or it has returned. */
  | 'run_ended'
  /** There is no tool of this name. */
  | 'unknown_tool'
  /** The handler threw something that is no `ToolError`. */
  | 'tool_failed'
  /** The handler's result cannot be written as JSON. */
  | 'result_not_json';

/** Marks it across copies of this file: a tool may be loaded with one of its own. */
const brand = Symbol.for('beckon.ToolError');

/**
 * An end that the agent is told of in plain words, with a code.
 *
 * @example
 * throw new ToolError('branch_protected', 'The branch main takes no direct pushes.');
 */
export class ToolError extends Error {
  readonly code: ToolErrorCode | (string & {});
  readonly [brand] = true;

  constructor(code: ToolErrorCode | (string & {}), message: string) {
    super(message);
    this.name = 'ToolError';
    this.code = code;
  }
}

export const isToolError = (error: unknown): error is ToolError =>
  typeof error === 'object' && error !== null && brand in error;

// `instanceof` holds also for one of another copy; what a tool derives from it is told apart as usual.
Object.defineProperty(ToolError, Symbol.hasInstance, {
  value(this: unknown, value: unknown): boolean {
    return this === ToolError ? isToolError(value) : Function.prototype[Symbol.hasInstance].call(this, value);
  },
});

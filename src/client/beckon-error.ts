import type { ErrorCode } from '../protocol/errors.ts';

/** Codes of the catalogue, and those of a caller that got no answer from it. */
export type BeckonErrorCode = ErrorCode | 'unreachable' | 'unexpected_reply';

/** A refusal of the control room, or the failure to reach it (`status` 0). Match on `code`, never on the sentence. */
export class BeckonError extends Error {
  override readonly name = 'BeckonError';
  readonly code: BeckonErrorCode;
  readonly status: number;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: BeckonErrorCode,
    status: number,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = status;
    this.details = details;
  }
}

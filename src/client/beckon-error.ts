import { type ErrorCode, type Refusal, statusOf } from '../protocol/errors.ts';

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

/** A refusal of a control room in the same process. */
export const errorOf = ({ code, message, details }: Refusal): BeckonError =>
  new BeckonError(code, statusOf(code), message, details);

/** The refusal in a reply's body, or, from something that is no Beckon server, what can be said of its status. */
export function errorOfReply(status: number, body: string): BeckonError {
  const error = recordOf(recordOf(parsed(body))?.error);
  if (typeof error?.code !== 'string') {
    return new BeckonError('unexpected_reply', status, `An unexpected reply with status ${status}.`);
  }
  const message = typeof error.message === 'string' ? error.message : error.code;
  return new BeckonError(error.code as BeckonErrorCode, status, message, recordOf(error.details));
}

export function unreachable(baseUrl: string, cause: unknown): BeckonError {
  const where = baseUrl === '' ? '' : ` at ${baseUrl}`;
  return new BeckonError('unreachable', 0, `Beckon cannot be reached${where}.`, {}, cause);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function recordOf(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

import { BeckonError, type BeckonErrorCode } from './beckon-error.ts';

/** The refusal in a reply's body, or, from something that is no Beckon server, what can be said of its status. */
export function errorOf(status: number, body: string): BeckonError {
  const refusal = refusalIn(body);
  if (refusal === undefined) {
    return new BeckonError('unexpected_reply', status, `An unexpected reply with status ${status}.`);
  }
  return new BeckonError(refusal.code, status, refusal.message, refusal.details);
}

export function unreachable(baseUrl: string, cause: unknown): BeckonError {
  const where = baseUrl === '' ? '' : ` at ${baseUrl}`;
  return new BeckonError('unreachable', 0, `Beckon cannot be reached${where}.`, {}, cause);
}

interface WireRefusal {
  readonly code: BeckonErrorCode;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

function refusalIn(body: string): WireRefusal | undefined {
  const error = recordOf(recordOf(parsed(body))?.error);
  if (typeof error?.code !== 'string') return undefined;
  return {
    code: error.code as BeckonErrorCode,
    message: typeof error.message === 'string' ? error.message : error.code,
    details: recordOf(error.details) ?? {},
  };
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

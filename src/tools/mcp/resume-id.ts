import type { RequestId } from '@modelcontextprotocol/server';

/** Which call an answer belongs to. It goes out before the answer, and comes back when the client lost the connection. */
export interface ResumePoint {
  readonly requestId: RequestId;
  readonly callId: string;
}

export const resumeIdOf = ({ requestId, callId }: ResumePoint): string =>
  Buffer.from(JSON.stringify([requestId, callId])).toString('base64url');

/** Undefined for what is none of ours. */
export function readResumeId(text: string): ResumePoint | undefined {
  try {
    const [requestId, callId, ...rest] = JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown[];
    const isId = typeof requestId === 'string' || Number.isSafeInteger(requestId);
    if (!isId || typeof callId !== 'string' || rest.length > 0) return undefined;
    return { requestId: requestId as RequestId, callId };
  } catch {
    return undefined;
  }
}

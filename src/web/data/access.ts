import { errorOf, unreachable } from '../../client/reply-error.ts';

/** A browser that was let in. */
export interface Device {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly lastSeenAt: string;
  /** Whether it is this one. */
  readonly current: boolean;
}

export interface PairingCode {
  readonly code: string;
  readonly expiresAt: string;
}

export const devices = async (): Promise<readonly Device[]> =>
  (await exchange<{ devices: Device[] }>('GET', '/api/devices')).devices;

export const removeDevice = async (id: string): Promise<void> => {
  await exchange('DELETE', `/api/devices/${encodeURIComponent(id)}`);
};

/** A one-time code with which one more browser is let in. */
export const makePairingCode = (): Promise<PairingCode> => exchange('POST', '/api/pairing-code');

export const serverVersion = async (): Promise<string> =>
  (await exchange<{ version: string }>('GET', '/api/health')).version;

/** Exchanges a code for the cookie that lets this browser in; rejects with the reason why not. */
export const pair = async (code: string): Promise<void> => {
  await exchange('POST', '/api/pair', { code });
};

async function exchange<T>(method: string, path: string, body: unknown = {}): Promise<T> {
  const reply = await fetch(path, {
    method,
    ...(method === 'GET'
      ? { cache: 'no-store' }
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    throw unreachable('', error);
  });
  const text = await reply.text();
  if (!reply.ok) throw errorOf(reply.status, text);
  return JSON.parse(text) as T;
}

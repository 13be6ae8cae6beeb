import { errorOf, unreachable } from '../../client/reply-error.ts';
import { forgetPageKey, keepPageKey, keyHeader } from './page-key.ts';

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

export const removeDevice = async ({ id, current }: Device): Promise<void> => {
  await exchange('DELETE', `/api/devices/${encodeURIComponent(id)}`);
  if (current) forgetPageKey();
};

/** A one-time code with which one more browser is let in. */
export const makePairingCode = (): Promise<PairingCode> => exchange('POST', '/api/pairing-code');

/** Lets a terminal decide for a time, by the code that it shows. */
export const allowUnlock = async (id: string, code: string): Promise<void> => {
  await exchange('POST', `/api/unlocks/${encodeURIComponent(id)}/allow`, { code });
};

/** Locks a terminal again, or refuses to unlock it. */
export const endUnlock = async (id: string): Promise<void> => {
  await exchange('DELETE', `/api/unlocks/${encodeURIComponent(id)}`);
};

export const serverVersion = async (): Promise<string> =>
  (await exchange<{ version: string }>('GET', '/api/health')).version;

/** Exchanges a code for the cookie and the key that let this browser in; rejects with the reason why not. */
export const pair = async (code: string): Promise<void> => {
  const { key } = await exchange<{ key: string }>('POST', '/api/pair', { code });
  keepPageKey(key);
};

/** A file of the server's. An address alone, of a picture or a link, would be asked for without the key. */
export async function fetchFile(path: string): Promise<Blob> {
  const reply = await request(path, { method: 'GET', headers: {} });
  if (!reply.ok) throw errorOf(reply.status, await reply.text());
  return reply.blob();
}

async function exchange<T>(method: string, path: string, body: unknown = {}): Promise<T> {
  const reply = await request(
    path,
    method === 'GET'
      ? { method, cache: 'no-store', headers: {} }
      : { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
  );
  const text = await reply.text();
  if (!reply.ok) throw errorOf(reply.status, text);
  return JSON.parse(text) as T;
}

const request = (
  path: string,
  init: RequestInit & { readonly headers: Record<string, string> },
): Promise<Response> =>
  fetch(path, { ...init, headers: { ...init.headers, ...keyHeader() } }).catch((error: unknown) => {
    throw unreachable('', error);
  });

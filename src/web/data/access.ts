import { errorOfReply, unreachable } from '../../client/beckon-error.ts';
import { HttpCalls } from '../../client/http-calls.ts';
import { pathTo } from '../../protocol/operation.ts';
import { serverOperations } from '../../protocol/server-operation.ts';
import { basePath } from './base-path.ts';
import { forgetPageKey, keepPageKey, keyHeader, pageKey } from './page-key.ts';

const server = new HttpCalls({ baseUrl: basePath, key: pageKey });

/** A browser that was let in; `current` is this one. */
export type Device = Awaited<ReturnType<typeof devices>>[number];
export type PairingCode = Awaited<ReturnType<typeof makePairingCode>>;

export const { devices, endUnlock } = server;

export const removeDevice = async ({ id, current }: Device): Promise<void> => {
  await server.removeDevice(id);
  if (current) forgetPageKey();
};

/** A one-time code with which one more browser is let in. */
export const makePairingCode = () => server.pairingLink();

/** Lets a terminal decide for a time, by the code that it shows. */
export const allowUnlock = async (id: string, code: string): Promise<void> => {
  await server.allowUnlock(id, { code });
};

export const serverVersion = async (): Promise<string> => (await server.health()).version;

/** Exchanges a code for the cookie and the key that let this browser in; rejects with the reason why not. */
export const pair = async (code: string): Promise<void> => keepPageKey(await server.pair({ code }));

export const imagePath = (session: string, imageId: string): string =>
  pathTo(serverOperations.getImage.path, { session, imageId });

export const rawLogPath = (session: string): string => pathTo(serverOperations.getRawLog.path, { session });

/** A file of the server's. An address alone, of a picture or a link, would be asked for without the key. */
export async function fetchFile(path: string): Promise<Blob> {
  const reply = await fetch(basePath + path, { headers: keyHeader() }).catch((error: unknown) => {
    throw unreachable('', error);
  });
  if (!reply.ok) throw errorOfReply(reply.status, await reply.text());
  return reply.blob();
}

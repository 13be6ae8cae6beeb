import { errorOfReply, unreachable } from '../../client/beckon-error.ts';
import { HttpCalls } from '../../client/http-calls.ts';
import { pathTo } from '../../protocol/operation.ts';
import { serverOperations } from '../../protocol/server-operation.ts';
import { basePath } from './base-path.ts';
import { randomId } from './random-id.ts';
import { readStored, writeStored } from './stored.ts';

/** Another program may have a control room under each of several paths. */
const keyName = `key${basePath}`;

/**
 * The key that this browser's cookie works with. Browsers send a cookie to every port of a machine; what the page keeps is for its
 * own origin alone, so a program on another port that is shown in this browser can do nothing with the cookie it gets.
 */
export const pageKey = (): string | undefined => readStored(keyName) ?? undefined;

const server = new HttpCalls({ baseUrl: basePath, key: pageKey });

/** A browser that was let in; `current` is this one. */
export type Device = Awaited<ReturnType<typeof devices>>[number];
export type PairingCode = Awaited<ReturnType<typeof makePairingCode>>;

export const { devices, endUnlock, push, savePush, removePush, testPush } = server;

export const removeDevice = async ({ id, current }: Device): Promise<void> => {
  await server.removeDevice(id);
  if (current) writeStored(keyName, null);
};

/** A one-time code with which one more browser is let in. */
export const makePairingCode = () => server.pairingLink();

/** Lets a terminal decide for a time, by the code that it shows. */
export const allowUnlock = async (id: string, code: string): Promise<void> => {
  await server.allowUnlock(id, { code });
};

export const serverVersion = async (): Promise<string> => (await server.health()).version;

/** Under which it is kept that this browser is told with its page closed. */
export const pushName = `push${basePath}`;

/** Exchanges a code for the cookie and the key that let this browser in; rejects with the reason why not. */
export const pair = async (code: string): Promise<void> => {
  writeStored(keyName, await server.pair({ code }));
  // A browser that was removed gets no notifications again until someone presses for them.
  writeStored(pushName, null);
};

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

function keyHeader(): Record<string, string> {
  const key = pageKey();
  return key === undefined ? {} : { 'x-beckon-key': key };
}

/** This browser's name for itself, also after a reload: the server notes it with every answer given here. */
export function browserId(): string {
  const known = readStored('browser');
  if (known !== null && /^[\w-]{8,64}$/.test(known)) return known;
  const made = randomId();
  writeStored('browser', made);
  return made;
}

/** The one-time code in an address or in what a person pasted: a whole link, its end, or the code alone. */
export function pairingCodeIn(text: string): string | undefined {
  const given = text.trim();
  const [, inLink] = /#(?:.*&)?pair=([^&\s]+)/.exec(given) ?? [];
  if (inLink !== undefined) return decoded(inLink);
  return /^[\w-]{4,200}$/.test(given) ? given : undefined;
}

/** Takes the code out of the address, so that it is neither bookmarked nor shown, and returns it. */
export function takePairingCode(): string | undefined {
  const code = location.hash.includes('pair=') ? pairingCodeIn(location.hash) : undefined;
  if (code !== undefined) history.replaceState(history.state, '', location.pathname + location.search);
  return code;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

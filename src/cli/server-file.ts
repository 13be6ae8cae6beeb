import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { WhileBusy } from '../protocol/session.ts';
import { readSecretFile, writeSecretFile } from './secret-file.ts';
import { IsolationReport } from './server-lines.ts';

/** How the terminal client finds the server of a data directory. */
export interface ServerFile {
  readonly url: string;
  /** What it is bound to, which the url does not always tell. */
  readonly host?: string;
  readonly pid: number;
  /** Who decides there, for the one that is started in its place. */
  readonly decide?: string;
  /** What messages do there while an agent works, in sessions that are not set for themselves. */
  readonly whileBusy?: WhileBusy;
  /** The process is another program's, which has the server in it: no command may end it. */
  readonly isEmbedded?: boolean;
  readonly startedAt: string;
  readonly isolation?: IsolationReport;
}

const pathOf = (dataDir: string): string => join(dataDir, 'server.json');

export function writeServerFile(dataDir: string, content: ServerFile): Promise<void> {
  return writeSecretFile(pathOf(dataDir), `${JSON.stringify(content, null, 2)}\n`);
}

export function removeServerFile(dataDir: string): Promise<void> {
  return rm(pathOf(dataDir), { force: true });
}

/** What the file says, if it is there and whole; whether that server still lives, only the lock can tell. */
export async function readServerFile(dataDir: string): Promise<ServerFile | undefined> {
  const text = await readSecretFile(pathOf(dataDir));
  if (text === undefined) return undefined;
  try {
    const { url, host, pid, startedAt, isEmbedded, decide, ...rest } = JSON.parse(
      text,
    ) as Partial<ServerFile>;
    if (typeof url !== 'string' || typeof pid !== 'number') return undefined;
    const whileBusy = WhileBusy.safeParse(rest.whileBusy).data;
    const isolation = IsolationReport.safeParse(rest.isolation).data;
    return {
      url,
      pid,
      startedAt: startedAt ?? '',
      ...(typeof host === 'string' && { host }),
      ...(typeof decide === 'string' && { decide }),
      ...(isEmbedded === true && { isEmbedded }),
      ...(whileBusy !== undefined && { whileBusy }),
      ...(isolation !== undefined && { isolation }),
    };
  } catch {
    return undefined;
  }
}

import { join } from 'node:path';
import { z } from 'zod';
import type { RunNotes } from '../cluster/runner-side.ts';
import type { RunAbout } from '../engine/ports/runner.ts';
import type { Logger } from './logger.ts';
import { readSecretFile, writeSecretFile } from './secret-files.ts';

const most = 1000;
const About = z.object({ agent: z.string(), cwd: z.string(), agentSessionId: z.string().nullable() });
const Notes = z.record(z.string(), About);

/** What a runner remembers of its runs, in one file. One that cannot be written is told of, and keeps nobody from work. */
export async function openRunNotes(dataDir: string, logger: Logger): Promise<RunNotes> {
  const path = join(dataDir, 'runs.json');
  const notes = new Map<string, RunAbout>(Object.entries(await read(path)));
  let last: Promise<unknown> = Promise.resolve();
  let isWaiting = false;
  const write = (): void => {
    if (isWaiting) return;
    isWaiting = true;
    last = last
      .then(() => {
        isWaiting = false;
        return writeSecretFile(path, JSON.stringify(Object.fromEntries(notes)));
      })
      .catch((error: unknown) => logger.warn({ reason: String(error) }, 'What runs here cannot be noted'));
  };
  return {
    of: (runId) => notes.get(runId),
    set(runId, about) {
      notes.set(runId, about);
      const [oldest = ''] = notes.keys();
      if (notes.size > most) notes.delete(oldest);
      write();
    },
    remove(runId) {
      if (notes.delete(runId)) write();
    },
  };
}

async function read(path: string): Promise<Readonly<Record<string, RunAbout>>> {
  try {
    return Notes.parse(JSON.parse((await readSecretFile(path)) ?? '{}'));
  } catch {
    return {};
  }
}

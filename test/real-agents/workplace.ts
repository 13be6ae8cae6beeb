import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claudeEnvironment } from './claude-program.ts';
import { type ModelStandIn, startModelStandIn } from './model-stand-in.ts';

/** Where a real agent works: a folder, a home with no one's settings, and a model that says what it was taught. */
export interface Workplace {
  readonly folder: string;
  readonly cwd: string;
  readonly home: string;
  readonly model: ModelStandIn;
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export async function openWorkplace(): Promise<Workplace> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'beckon-real-')));
  const [cwd, home] = [join(folder, 'work'), join(folder, 'home')];
  await mkdir(cwd);
  await mkdir(home);
  const model = await startModelStandIn();
  return {
    folder,
    cwd,
    home,
    model,
    env: claudeEnvironment({ baseUrl: model.url, home }),
    async close() {
      await model.close();
      // A program that was just killed may still have a child writing below its home.
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claudeEnvironment } from './claude-program.ts';
import { messagesWire } from './messages-wire.ts';
import type { ModelDialect } from './model-dialect.ts';
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

/** How an agent finds its model, and what it says to it in. */
export interface ModelAccess {
  readonly dialect: ModelDialect;
  /** An environment in which the program talks to the stand-in alone, and reads no one's settings. */
  environment(options: { baseUrl: string; home: string }): Record<string, string>;
}

const claudeAccess: ModelAccess = { dialect: messagesWire, environment: claudeEnvironment };

export async function openWorkplace(access: ModelAccess = claudeAccess): Promise<Workplace> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'beckon-real-')));
  const [cwd, home] = [join(folder, 'work'), join(folder, 'home')];
  await mkdir(cwd);
  await mkdir(home);
  const model = await startModelStandIn(access.dialect);
  return {
    folder,
    cwd,
    home,
    model,
    env: access.environment({ baseUrl: model.url, home }),
    async close() {
      await model.close();
      // A program that was just killed may still have a child writing below its home.
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

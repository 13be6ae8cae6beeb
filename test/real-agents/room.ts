import { afterEach, beforeEach } from 'vitest';
import { type Beckon, type BeckonOptions, endBeckons, startBeckon } from '../support/beckon-process.ts';
import { endWatches } from '../support/watch.ts';
import type { ModelStandIn } from './model-stand-in.ts';
import { type RealSession, startSession } from './real-session.ts';
import { type ModelAccess, openWorkplace, type Workplace } from './workplace.ts';

export interface RoomOptions {
  /** Whom the sessions are with: Claude Code by its own driver, unless it is said. */
  readonly agent?: string;
  /** How that agent finds its model. */
  readonly access?: ModelAccess;
  /** How the server is started. It may write files of its own into the folder. */
  server(folder: string): Promise<BeckonOptions> | BeckonOptions;
}

/** A workplace with a server, anew for each test of the suite. */
export interface Room {
  readonly folder: string;
  readonly cwd: string;
  readonly model: ModelStandIn;
  /** The server that runs now. */
  readonly beckon: Beckon;
  start(prompt: string, settings?: object): Promise<RealSession>;
  /** The next server on the same data, once the one before has ended. */
  serveAgain(...args: readonly string[]): Promise<void>;
}

/** Opens a room before each test, and ends all that was started in it afterwards. */
export function freshRoom({ agent = 'claude', access, server }: RoomOptions): Room {
  let place: Workplace;
  let beckon: Beckon;

  beforeEach(async () => {
    place = await openWorkplace(access);
    beckon = await startBeckon(await server(place.folder));
  });

  afterEach(async () => {
    endWatches();
    await endBeckons();
    await place.close();
  });

  return {
    get folder() {
      return place.folder;
    },
    get cwd() {
      return place.cwd;
    },
    get model() {
      return place.model;
    },
    get beckon() {
      return beckon;
    },
    start: (prompt, settings = {}) => startSession(() => beckon, place, { agent, prompt, ...settings }),
    async serveAgain(...more) {
      const { args = [], ...options } = await server(place.folder);
      beckon = await startBeckon({ ...options, args: [...args, ...more], dataDir: beckon.dataDir });
    },
  };
}

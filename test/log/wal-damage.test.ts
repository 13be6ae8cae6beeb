import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSqliteLog } from '../../src/log/sqlite-log.ts';
import { missingInWords } from '../../src/protocol/storage.ts';
import { seededRandom, testSeed } from '../support/seeded-random.ts';
import { append, overdue, seqsOf, session, upTo } from './sample-events.ts';
import { temporaryDirectories } from './temporary-directory.ts';

const directory = temporaryDirectories();
const program = fileURLToPath(new URL('append-until-killed.ts', import.meta.url));
const seed = testSeed();
const lasting = mkdtempSync(join(tmpdir(), 'beckon-log-'));
afterAll(() => rmSync(lasting, { recursive: true, force: true }));

interface Killed {
  readonly folder: string;
  /** `stream seq`, as it was acknowledged. */
  readonly acknowledged: readonly string[];
}

/** A real log, as a killed program left it. */
async function killedAfter(lines: number, folder: string): Promise<Killed> {
  const child: ChildProcess = spawn(process.execPath, [program, join(folder, 'beckon.db'), '1'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const acknowledged: string[] = [];
  if (child.stdout === null) throw new Error('no output');
  for await (const line of createInterface({ input: child.stdout })) {
    if (/^\w \d+ event-\d+-\w-\d+$/u.test(line)) acknowledged.push(line.split(' ').slice(0, 2).join(' '));
    if (acknowledged.length === lines) child.kill('SIGKILL');
  }
  await ended;
  return { folder, acknowledged: acknowledged.slice(0, -1) };
}

function copyOf({ folder }: Killed): string {
  const copy = join(directory(), 'copy');
  mkdirSync(copy);
  for (const name of readdirSync(folder)) copyFileSync(join(folder, name), join(copy, name));
  return join(copy, 'beckon.db');
}

/** Opens it, and sees what is there and what is said of it. */
async function lookInto(path: string, acknowledged: readonly string[]) {
  const log = openSqliteLog({ path });
  try {
    const there = new Set<string>();
    for (const { stream, eventsAfter } of log.streams()) {
      const events = [...eventsAfter(0)];
      expect(seqsOf(events), `the numbers of ${stream}`).toEqual(upTo(events.length));
      for (const { seq } of events) there.add(`${stream} ${seq}`);
    }
    expect(seqsOf(await append(log, session('after'), overdue('t')))).toHaveLength(1);
    const lost = acknowledged.filter((event) => !there.has(event)).length;
    return { lost, missing: log.storage.missing };
  } finally {
    await log.close();
  }
}

/** Killed in the midst of carrying the log over, the database needs the log to be whole. */
function wasCheckpointing({ folder }: Killed): boolean {
  const shared = readFileSync(join(folder, 'beckon.db-shm'));
  return shared.readUInt32LE(96) !== shared.readUInt32LE(128);
}

function overwrite(path: string, at: number, bytes: Buffer): void {
  const file = openSync(path, 'r+');
  writeSync(file, bytes, 0, bytes.length, at);
  closeSync(file);
}

const half = (path: string): number => Math.floor(statSync(path).size / 2);

const damages: Record<string, (path: string) => void> = {
  'is deleted': (path) => rmSync(`${path}-wal`),
  'is deleted with the shared memory': (path) => {
    rmSync(`${path}-wal`);
    rmSync(`${path}-shm`);
  },
  'is emptied': (path) => truncateSync(`${path}-wal`, 0),
  'is cut short': (path) => truncateSync(`${path}-wal`, half(`${path}-wal`)),
  'has lost its end': (path) => truncateSync(`${path}-wal`, statSync(`${path}-wal`).size - 200_000),
  'has a wrong byte in the middle': (path) =>
    overwrite(`${path}-wal`, half(`${path}-wal`), Buffer.from([0x5a])),
  'has a wrong byte in the middle, and the shared memory is gone': (path) => {
    overwrite(`${path}-wal`, half(`${path}-wal`), Buffer.from([0x5a]));
    rmSync(`${path}-shm`);
  },
  'has zeros in the middle, and the shared memory is gone': (path) => {
    overwrite(`${path}-wal`, half(`${path}-wal`), Buffer.alloc(20_000));
    rmSync(`${path}-shm`);
  },
  'is another file': (path) => writeFileSync(`${path}-wal`, 'notes '.repeat(9_000)),
};

describe('[STORE7] a write-ahead log that was damaged while no server ran', () => {
  let short: Killed;
  beforeAll(async () => {
    short = await killedAfter(200, mkdtempSync(join(lasting, 'killed-')));
  });

  it.each(Object.keys(damages))(
    '%s: it opens with what is left, says what is missing, and keeps the file',
    async (how) => {
      const path = copyOf(short);
      damages[how]?.(path);
      const found = existsSync(`${path}-wal`) ? readFileSync(`${path}-wal`) : undefined;
      const { lost, missing } = await lookInto(path, short.acknowledged);
      expect(lost).toBeGreaterThan(0);
      expect(missing).toMatchObject([{ isRestWhole: true }]);
      const [notice] = missing;
      if (notice === undefined) throw new Error('nothing is said');
      expect(missingInWords(notice)).toMatch(
        /^(Events after \S+Z|Earlier events) may be missing: the write-ahead log was/u,
      );
      if (found !== undefined) expect(readFileSync(join(path, '..', notice.keptAs ?? ''))).toEqual(found);

      // The next start says it again, and the one after a person has read it does not.
      expect((await lookInto(path, [])).missing).toEqual(missing);
      rmSync(`${path}-missing.json`);
      expect((await lookInto(path, [])).missing).toEqual([]);
    },
  );

  it('a database that is gone is said as well', async () => {
    const path = copyOf(short);
    rmSync(path);
    const { lost, missing } = await lookInto(path, short.acknowledged);
    expect(lost).toBe(short.acknowledged.length);
    expect(missing).toMatchObject([{ cause: 'database-missing', after: null, keptAs: expect.any(String) }]);
  });

  it('nothing is said of a log that is whole, nor after an end in order, also without the files beside it', async () => {
    const path = copyOf(short);
    expect(await lookInto(path, short.acknowledged)).toEqual({ lost: 0, missing: [] });
    expect(existsSync(`${path}-wal`)).toBe(false);
    expect(await lookInto(path, short.acknowledged)).toEqual({ lost: 0, missing: [] });
  });

  it(`never loses without a word, wherever the damage is (seed ${seed})`, async () => {
    const random = seededRandom(seed);
    const whole = (below: number): number => Math.floor(random() * below);
    const long = await killedAfter(1_500 + whole(1_500), mkdtempSync(join(lasting, 'killed-')));
    let losses = 0;
    for (const killed of [short, long]) {
      for (let round = 0; round < 25; round += 1) {
        const path = copyOf(killed);
        const { size } = statSync(`${path}-wal`);
        const at = whole(size);
        if (random() < 0.5) truncateSync(`${path}-wal`, at);
        else overwrite(`${path}-wal`, at, Buffer.alloc(1 + whole(5_000), whole(256)));
        const { lost, missing } = await lookInto(path, killed.acknowledged);
        losses += Math.sign(lost);
        if (lost > 0) expect(missing, `round ${round}, ${lost} lost at ${at} of ${size}`).toHaveLength(1);
        if (wasCheckpointing(killed)) continue;
        for (const { isRestWhole } of missing) expect(isRestWhole, `round ${round} at ${at}`).toBe(true);
      }
    }
    expect(losses).toBeGreaterThan(5);
  });
});

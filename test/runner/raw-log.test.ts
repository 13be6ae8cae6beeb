import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RawLog } from '../../src/runner/ports/raw-log.ts';
import { openRawLog, type RawLogOptions } from '../../src/runner/raw-log.ts';
import { session } from '../log/sample-events.ts';
import { temporaryDirectories } from '../log/temporary-directory.ts';

const directory = temporaryDirectories();
const one = session('one');
const two = session('two');
const time = '2026-01-01T00:00:00.000Z';

describe('the raw log', () => {
  let folder: string;
  const opened: RawLog[] = [];
  const open = (options: Partial<RawLogOptions> = {}): RawLog => {
    const log = openRawLog({ directory: folder, now: () => time, ...options });
    opened.push(log);
    return log;
  };
  beforeEach(() => {
    folder = join(directory(), 'raw');
  });
  afterEach(() => Promise.all(opened.splice(0).map((log) => log.close())));

  it('[STORE3] keeps the bytes of each session as they came, with their direction, and gives them back', async () => {
    const log = open();
    log.append(one, 'in', Buffer.from('{"a":1}\n'));
    log.append(one, 'out', Buffer.from([0xc3]));
    log.append(one, 'out', Buffer.from([0xa4, 0x00, 0xff]));
    log.append(two, 'err', Buffer.from('other'));
    const header = (direction: string, bytes: number) => `== ${direction} ${time} ${bytes}\n`;
    expect(await buffer(log.read(one))).toEqual(
      Buffer.concat([
        Buffer.from(`${header('in', 8)}{"a":1}\n\n${header('out', 4)}`),
        Buffer.from([0xc3, 0xa4, 0x00, 0xff]),
        Buffer.from('\n'),
      ]),
    );
    expect(await text(log.read(two))).toBe(`${header('err', 5)}other\n`);
    expect(await text(log.read(session('none')))).toBe('');
  });

  it('[STORE3] is there again after a restart, and goes on', async () => {
    const first = open();
    first.append(one, 'out', Buffer.from('before'));
    await first.close();
    const second = open();
    second.append(one, 'out', Buffer.from('after'));
    expect(await text(second.read(one))).toMatch(/before\n.*\nafter\n$/su);
  });

  it('writes by itself', async () => {
    const log = open();
    log.append(one, 'out', Buffer.from('hello'));
    await expect.poll(() => readdirSync(join(folder, 'one')), { interval: 10 }).toEqual(['newer']);
    expect(statSync(join(folder, 'one', 'newer')).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'one')).mode & 0o777).toBe(0o700);
  });

  it('[STORE3] keeps no more than it may: the newest, oldest first', async () => {
    const log = open({ maxBytes: 10_000 });
    for (let n = 0; n < 100; n += 1) {
      log.append(one, 'out', Buffer.from(`<${n}>`.padEnd(1_000, '.')));
      await text(log.read(one));
    }
    const kept = await text(log.read(one));
    const numbers = Array.from(kept.matchAll(/<(\d+)>/gu), ([, n]) => Number(n));
    expect(kept.length).toBeLessThanOrEqual(10_000);
    expect(numbers.length).toBeGreaterThanOrEqual(4);
    expect(numbers).toEqual(Array.from(numbers, (_, index) => 100 - numbers.length + index));
    expect(kept).not.toContain('== dropped');
  });

  it('[STORE3] drops and counts what a slow disk cannot take, and says where it is missing', async () => {
    const log = open({ maxWaitingBytes: 10_000 });
    log.append(one, 'in', Buffer.from('first'));
    for (let n = 0; n < 100; n += 1) log.append(one, 'out', Buffer.alloc(1_000, 'x'));
    const kept = (await text(log.read(one))).match(/x/gu)?.length ?? 0;
    expect(kept).toBeLessThan(10_000);
    log.append(one, 'out', Buffer.from('after'));
    expect(await text(log.read(one))).toContain(
      `x\n== dropped ${time} ${100_000 - kept}\n== out ${time} 5\nafter\n`,
    );
  });

  it('bounds what waits of all sessions together', async () => {
    const log = open({ maxWaitingBytes: 10_000, maxWaitingBytesInAll: 15_000 });
    for (const id of [one, two]) log.append(id, 'out', Buffer.alloc(9_000, 'x'));
    const kept = async (id: typeof one): Promise<number> =>
      (await text(log.read(id))).match(/x/gu)?.length ?? 0;
    expect(await kept(one)).toBe(9_000);
    expect(await kept(two)).toBeLessThan(6_000);
  });

  it('[STORE3] never throws when the disk refuses, and works again when it does not', async () => {
    const elsewhere = directory();
    const blocked = join(elsewhere, 'raw');
    writeFileSync(blocked, 'a file where a folder should be');
    const log = open({ directory: blocked });
    log.append(one, 'out', Buffer.from('lost'));
    await expect(text(log.read(one))).rejects.toThrow('ENOTDIR');
    rmSync(blocked);
    log.append(one, 'out', Buffer.from('kept'));
    expect(await text(log.read(one))).toBe(`== dropped ${time} 4\n== out ${time} 4\nkept\n`);
  });

  it('a download ends although the agent goes on, and may be left early', async () => {
    const log = open();
    log.append(one, 'out', Buffer.alloc(1_000_000, 'a'));
    let downloaded = 0;
    for await (const chunk of log.read(one)) {
      downloaded += chunk.length;
      log.append(one, 'out', Buffer.alloc(10_000, 'b'));
    }
    expect(downloaded).toBe(1_000_000 + `== out ${time} 1000000\n\n`.length);
    for await (const chunk of log.read(one)) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
    await log.remove(one);
  });

  it('removes a session with what waits, and leaves the others', async () => {
    const log = open();
    for (const id of [one, two]) log.append(id, 'out', Buffer.from('kept'));
    await Promise.all([text(log.read(one)), text(log.read(two))]);
    log.append(one, 'out', Buffer.from('waiting'));
    await log.remove(one);
    expect(readdirSync(folder)).toEqual(['two']);
    expect(await text(log.read(one))).toBe('');
    log.append(one, 'out', Buffer.from('anew'));
    expect(await text(log.read(one))).toContain('anew');
  });

  it('stays in its directory, whatever the id', async () => {
    const log = open();
    for (const id of ['..', '../up', '.', 'a/b']) log.append(session(id), 'out', Buffer.from(id));
    await log.close();
    expect(readdirSync(join(folder, '..'))).toEqual(['raw']);
    expect(readdirSync(folder)).toHaveLength(4);
  });

  it('writes what waits when it is closed, and drops what comes later', async () => {
    const log = open();
    log.append(one, 'out', Buffer.from('last'));
    await Promise.all([log.close(), log.close()]);
    log.append(one, 'out', Buffer.from('late'));
    expect(await text(open().read(one))).toBe(`== out ${time} 4\nlast\n`);
  });
});

import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { historyInFile } from '../../src/cli/terminal/history.ts';
import { endBeckons, temporaryDirectory } from '../support/beckon-process.ts';

afterEach(endBeckons);

const open = async () => join(await temporaryDirectory(), 'deep', 'terminal-history');

describe('[TERM4] what was said in a terminal', () => {
  it('is kept for the next one, several lines as one, the same only once in a row', async () => {
    const path = await open();
    const first = await historyInFile(path);
    for (const text of ['one', 'two\nlines', 'two\nlines', '  ']) first.add(text);
    await first.settled();
    expect((await historyInFile(path)).entries).toEqual(['one', 'two\nlines']);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('does not grow without end, and what two terminals say at the same time is kept', async () => {
    const path = await open();
    const [one, other] = [await historyInFile(path), await historyInFile(path)];
    one.add('from one');
    await one.settled();
    other.add('from the other');
    await other.settled();
    expect((await historyInFile(path)).entries).toEqual(['from one', 'from the other']);
    for (let at = 0; at < 1_200; at += 1) one.add(`said ${at}`);
    one.add('x'.repeat(20_000));
    await one.settled();
    const { entries } = await historyInFile(path);
    expect([entries.length, entries.at(-1)]).toEqual([500, 'said 1199']);
    expect((await readFile(path, 'utf8')).split('\n').length).toBeLessThan(1_100);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('is read whatever is in the file, and controls no terminal', async () => {
    const path = join(await temporaryDirectory(), 'terminal-history');
    await writeFile(path, '"good"\nrubbish\n{"a":1}\n"bad \\u001b[2Jthing"\n', { mode: 0o644 });
    const history = await historyInFile(path);
    expect(history.entries).toEqual(['good', 'bad thing']);
    history.add('more');
    await history.settled();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('is no reason to fail where it cannot be written', async () => {
    const directory = await temporaryDirectory();
    await writeFile(join(directory, 'file'), '');
    const history = await historyInFile(join(directory, 'file', 'terminal-history'));
    history.add('one');
    await history.settled();
    expect(history.entries).toEqual(['one']);
  });
});

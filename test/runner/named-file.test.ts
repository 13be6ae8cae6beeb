import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { namedFile } from '../../src/runner/text-file.ts';

let folder: string;
let cwd: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'beckon-named-')));
  cwd = join(folder, 'project');
  await mkdir(cwd);
});
afterEach(() => rm(folder, { recursive: true }));

const told = async (path: string, roots: readonly string[] = []) => {
  const found = await namedFile({ cwd, realCwd: null, roots: [...roots] }, path);
  return found.ok ? (found.value.text ?? found.value.why) : found.refusal.code;
};

describe('[CHG39] a file that an ask names', () => {
  it('is told as it is, by its path in the session’s directory or whole', async () => {
    await writeFile(join(cwd, 'a.txt'), 'one\r\ntwo');
    expect(await told('a.txt')).toBe('one\r\ntwo');
    expect(await told(join(cwd, 'a.txt'))).toBe('one\r\ntwo');
    expect(await told('b.txt')).toBe('missing');
    expect(await told('a.txt/b')).toBe('missing');
  });

  it('is not told where it lies elsewhere, whatever links and dots say', async () => {
    const secret = join(folder, 'other.txt');
    await writeFile(secret, 'not yours');
    await symlink(secret, join(cwd, 'link.txt'));
    await symlink(folder, join(cwd, 'up'));
    for (const path of [secret, '../other.txt', 'link.txt', 'up/other.txt', '/etc/hostname'])
      expect(await told(path), path).toBe('elsewhere');
    expect(await told(secret, [folder])).toBe('not yours');
    expect(await told('../other.txt', [cwd])).toBe('elsewhere');
  });

  it('is not told where files of that name hold secrets, nor when a link hides the name', async () => {
    await writeFile(join(cwd, '.env'), 'KEY=1');
    await symlink('.env', join(cwd, 'readme.md'));
    await mkdir(join(cwd, '.ssh'));
    await writeFile(join(cwd, '.ssh', 'config'), 'x');
    for (const path of ['.env', 'readme.md', '.ssh/config']) expect(await told(path), path).toBe('secret');
  });

  it('is not told where it is no text, too long, or a pipe that nobody writes to', async () => {
    await writeFile(join(cwd, 'binary'), Buffer.from([0xff, 0xfe, 0x00]));
    await writeFile(join(cwd, 'zeros'), 'a\0b');
    await writeFile(join(cwd, 'long'), Buffer.alloc(1024 * 1024 + 1, 'a'));
    execFileSync('mkfifo', [join(cwd, 'pipe')]);
    for (const path of ['binary', 'zeros', 'pipe', '.']) expect(await told(path), path).toBe('not-text');
    expect(await told('long')).toBe('long');
  });
});

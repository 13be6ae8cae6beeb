import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import process from 'node:process';
import chromium from '@sparticuz/chromium';

const packages = resolve(import.meta.dirname, '../../../node_modules');

/**
 * The browser that comes with the packages, unpacked: nothing needs to be installed on the machine. The package itself unpacks into
 * the shared temporary directory and takes a file that is there for whole: whoever came while another process unpacked started half
 * a browser. Here it appears whole, under its version.
 */
export async function browserProgram(): Promise<string> {
  const { version } = JSON.parse(await readFile(join(packages, '@sparticuz/chromium/package.json'), 'utf8'));
  const cache = join(packages, '.cache');
  const unpacked = join(cache, `chromium-${version}`);
  if (!existsSync(unpacked)) {
    await mkdir(cache, { recursive: true });
    const underWay = await mkdtemp(`${unpacked}-`);
    await unpackInto(underWay);
    // Another process may have been faster; its browser is the same.
    await rename(underWay, unpacked).catch(() => rm(underWay, { recursive: true }));
  }
  return join(unpacked, 'chromium');
}

async function unpackInto(directory: string): Promise<void> {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = directory;
  try {
    await chromium.executablePath();
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
}

import { readdir, readFile } from 'node:fs/promises';

/** The arguments of every process, which everyone on this machine can see; separated by NUL. */
export async function commandLines(): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
}

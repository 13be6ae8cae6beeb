import { execFileSync } from 'node:child_process';
import { cpSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { temporaryDirectory } from './running.ts';

const root = resolve(import.meta.dirname, '..');

export const checkoutProgram = join(root, 'bin/beckon.cjs');

/** Builds the package and lays it out as an installation has it, without the sources; gives the program to start. */
export function builtProgram(): string {
  execFileSync(process.execPath, [join(root, 'scripts/build-package.ts')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const folder = temporaryDirectory();
  for (const part of ['bin', 'dist', 'package.json'])
    cpSync(join(root, part), join(folder, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return join(folder, 'bin/beckon.cjs');
}

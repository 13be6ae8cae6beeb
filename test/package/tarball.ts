import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type GuideProgram, writeProject } from '../support/guide-programs.ts';
import { type ProgramResult, runProgram } from '../support/run-program.ts';

const root = resolve(import.meta.dirname, '../..');

/** Packs the project as it would be published; gives the path of the tarball. */
export async function pack(folder: string): Promise<string> {
  const packed = await npm(root, 'pack', '--json', '--pack-destination', folder);
  if (packed.code !== 0) throw new Error(`npm pack failed: ${packed.stderr}`);
  const [name] = readdirSync(folder).filter((file) => file.endsWith('.tgz'));
  if (name === undefined) throw new Error(`npm pack made no tarball: ${packed.stdout}`);
  return join(folder, name);
}

/** Installs a tarball into an empty folder with some programs; gives how long it took. */
export async function install(
  tarball: string,
  folder: string,
  programs: readonly GuideProgram[],
): Promise<number> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  const began = performance.now();
  const installed = await npm(folder, 'install', '--no-audit', '--no-fund', tarball);
  if (installed.code !== 0) throw new Error(`npm install failed: ${installed.stderr}`);
  const took = performance.now() - began;
  writeProject(folder, programs);
  return took;
}

export function npm(cwd: string, ...args: string[]): Promise<ProgramResult> {
  const foreign = /^(npm_|BECKON_|VITEST|NODE_OPTIONS$|NODE_ENV$)/i;
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
  return runProgram('npm', args, { cwd, env: { ...env, npm_config_update_notifier: 'false' } });
}

/** Every file below a folder, links not followed. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

interface Manifest {
  readonly name?: string;
  readonly scripts?: Readonly<Record<string, string>>;
}

/** Packages that would run something of their own when they are installed. */
export function packagesThatBuild(folder: string): string[] {
  const isManifest = /node_modules\/(?:@[^/]+\/)?[^/@]+\/package\.json$/;
  return filesBelow(join(folder, 'node_modules'))
    .filter((file) => isManifest.test(file))
    .filter((file) => {
      const { scripts = {} } = JSON.parse(readFileSync(file, 'utf8')) as Manifest;
      return ['preinstall', 'install', 'postinstall'].some((name) => scripts[name] !== undefined);
    });
}

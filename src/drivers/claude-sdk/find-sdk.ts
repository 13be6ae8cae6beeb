import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AgentSdk } from './sdk-types.ts';

export const sdkName = '@anthropic-ai/claude-agent-sdk';
/** The oldest that names its requests, and so lets an answer be followed to the program. */
const oldest = '0.3.312';

export interface SdkPackage {
  /** The file to import. */
  readonly entry: string;
  readonly version: string;
  /** The version of the program it was made with, and brings where that was installed along. */
  readonly programVersion: string | undefined;
  readonly bringsProgram: boolean;
}

export type FoundSdk =
  | { readonly ok: true; readonly sdk: SdkPackage }
  | { readonly ok: false; readonly reason: string };

/** Looks for the package as a program in one of these directories would. */
export function findSdk(directories: readonly string[]): FoundSdk {
  for (const directory of directories) {
    const entry = resolveFrom(join(directory, 'index.js'), sdkName);
    if (entry === undefined) continue;
    const { version, claudeCodeVersion } = manifestOf(entry);
    if (typeof version !== 'string') return { ok: false, reason: `The package at ${entry} is damaged` };
    if (isOlder(version, oldest))
      return { ok: false, reason: `${sdkName} ${version} is too old: ${oldest} or newer is needed` };
    const programVersion = typeof claudeCodeVersion === 'string' ? claudeCodeVersion : undefined;
    return { ok: true, sdk: { entry, version, programVersion, bringsProgram: bringsProgram(entry) } };
  }
  return { ok: false, reason: `The package ${sdkName} is not installed` };
}

/** Rejects when the file is not what the package should be. */
export async function loadSdk({ entry }: SdkPackage): Promise<AgentSdk> {
  const loaded: Partial<AgentSdk> = await import(pathToFileURL(entry).href);
  if (typeof loaded.query !== 'function') throw new Error(`${entry} offers no query()`);
  return loaded as AgentSdk;
}

function resolveFrom(file: string, name: string): string | undefined {
  try {
    return createRequire(file).resolve(name);
  } catch {
    return undefined;
  }
}

function manifestOf(entry: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(readFileSync(join(dirname(entry), 'package.json'), 'utf8'));
  } catch {
    return {};
  }
}

function bringsProgram(entry: string): boolean {
  const { platform, arch } = process;
  return ['', '-musl'].some(
    (libc) => resolveFrom(entry, `${sdkName}-${platform}-${arch}${libc}/package.json`) !== undefined,
  );
}

function isOlder(version: string, than: string): boolean {
  const [left, right] = [version, than].map((text) => text.split(/[.-]/).map(Number));
  for (const part of [0, 1, 2]) {
    const difference = (left?.[part] || 0) - (right?.[part] || 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

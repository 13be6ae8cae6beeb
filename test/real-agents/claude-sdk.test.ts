import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { findSdk, loadSdk } from '../../src/drivers/claude-sdk/find-sdk.ts';
import { mergeSuite } from '../drivers/claude-sdk/merge-suite.ts';

const here = import.meta.dirname;
const root = join(here, '..', '..');

mergeSuite(
  'the Agent SDK',
  async () => {
    const found = findSdk([here]);
    if (!found.ok) throw new Error(found.reason);
    return loadSdk(found.sdk);
  },
  { dropsRepeated: true },
);

test('the shapes that the driver is written against are those of the package', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'beckon-sdk-types-'));
  try {
    const settings = { extends: join(root, 'tsconfig.json'), include: ['compare.mts'], exclude: [] };
    const compilerOptions = { typeRoots: [join(root, 'node_modules/@types')] };
    writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify({ ...settings, compilerOptions }));
    writeFileSync(join(dir, 'compare.mts'), comparison);
    const tsc = join(root, 'node_modules/.bin/tsc');
    const told = await promisify(execFile)(tsc, ['--noEmit', '-p', dir]).catch((error) => error);
    expect(told.stdout).toBe('');
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});

/** Each line is an error where a shape of ours could not be given to the SDK, or taken from it. */
const comparison = `
import type * as real from '${join(here, 'node_modules/@anthropic-ai/claude-agent-sdk/sdk.d.ts')}';
import type * as ours from '${join(root, 'src/drivers/claude-sdk/sdk-types.ts')}';

export function given(options: ours.SdkOptions, message: ours.SdkUserMessage, mode: ours.SdkPermissionMode): void {
  const asOptions: Omit<real.Options, 'canUseTool' | 'onElicitation'> = options;
  const asMessage: real.SDKUserMessage = message;
  const asMode: real.PermissionMode = mode;
  const asCanUseTool: (...asked: Parameters<real.CanUseTool>) => Promise<real.PermissionResult> = options.canUseTool;
  const asElicitation: (...asked: Parameters<real.OnElicitation>) => Promise<real.ElicitationResult> = options.onElicitation;
  void [asOptions, asMessage, asMode, asCanUseTool, asElicitation];
}

export function taken(query: real.Query, spawned: real.SpawnOptions): void {
  const asQuery: ours.SdkQuery = query;
  const asSpawned: ours.SdkSpawnOptions = spawned;
  void [asQuery, asSpawned];
}

export const every: ours.SdkPermissionMode = '' as real.PermissionMode;
`;

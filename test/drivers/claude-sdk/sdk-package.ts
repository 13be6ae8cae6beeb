import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Puts a package of the SDK's name into a directory; `code` is all it consists of. */
export function installSdk(directory: string, version = '0.3.325', code = ''): void {
  const folder = join(directory, 'node_modules/@anthropic-ai/claude-agent-sdk');
  mkdirSync(folder, { recursive: true });
  const manifest = {
    name: '@anthropic-ai/claude-agent-sdk',
    version,
    type: 'module',
    exports: { '.': { default: './sdk.mjs' } },
    claudeCodeVersion: '2.1.325',
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'sdk.mjs'), code);
}

/** The program that the package would bring for this machine. */
export function installSdkProgram(directory: string): void {
  const name = `claude-agent-sdk-${process.platform}-${process.arch}`;
  const folder = join(directory, 'node_modules/@anthropic-ai', name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: `@anthropic-ai/${name}` }));
}

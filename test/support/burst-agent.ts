import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const main = resolve(import.meta.dirname, 'burst-agent/main.ts');

export interface BurstAgent {
  /** For `--claude`. */
  readonly program: string;
  /** What every agent that was started from it has taken down, in order. */
  record(): readonly {
    readonly answered?: string;
    readonly again?: boolean;
    readonly interrupted?: boolean;
  }[];
}

/** A program in this directory that passes for Claude Code, and bursts. */
export function burstAgent(directory: string): BurstAgent {
  const program = join(directory, 'claude');
  const file = join(directory, 'record');
  writeFileSync(program, `#!/bin/sh\nBURST_RECORD='${file}' exec '${process.execPath}' '${main}' "$@"\n`);
  chmodSync(program, 0o755);
  return {
    program,
    record: () =>
      existsSync(file)
        ? readFileSync(file, 'utf8')
            .split('\n')
            .filter((line) => line !== '')
            .map((line) => JSON.parse(line))
        : [],
  };
}

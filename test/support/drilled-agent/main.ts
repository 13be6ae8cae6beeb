#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import process from 'node:process';

/** The demo agent with drills: what a host must survive, and what it is measured by. */
enableCompileCache();
const [{ runProgram }, { cast }, { crashMark, drills }] = await Promise.all([
  import('../../../src/drivers/demo/program/program.ts'),
  import('../../../src/drivers/demo/program/scenes/cast.ts'),
  import('./drills.ts'),
]);
if (!process.argv.includes('--version') && existsSync(crashMark)) {
  process.stderr.write('drilled agent: crashing again, as it was asked to\n');
  process.exit(1);
}
process.env.BECKON_DEMO_HOME ??= join(process.cwd(), '.drilled-agent');
process.env.BECKON_DEMO_PACE ??= '0';
await runProgram(process.argv.slice(2), { ...cast, scenes: [...drills, ...cast.scenes] });

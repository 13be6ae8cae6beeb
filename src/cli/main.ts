#!/usr/bin/env node
import process from 'node:process';
import { keepYoungSpaceSmall } from './young-space.ts';

keepYoungSpaceSmall();

// Node 22 calls parts of itself experiments that Beckon relies on; no command should begin with two lines about that.
const { emitWarning } = process;
process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
  const [type] = rest;
  if (type !== 'ExperimentalWarning') Reflect.apply(emitWarning, process, [warning, ...rest]);
};

const { run } = await import('./run.ts');
process.exitCode = await run(process.argv.slice(2), {
  // A copy: each look into the system's own costs, and all of it is looked through for every kind of agent.
  env: process.platform === 'win32' ? process.env : { ...process.env },
  cwd: process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
});

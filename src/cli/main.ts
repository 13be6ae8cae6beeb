#!/usr/bin/env node
// This file uses nothing that an old Node lacks: it must live long enough to say that the Node is too old.
import process from 'node:process';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `beckon: Node ${process.versions.node} is too old; Beckon needs Node 22.18 or newer.\n`,
  );
  process.exit(1);
}

const { enableCompileCache } = await import('node:module');
enableCompileCache();

const { run } = await import('./run.ts');
process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
});

#!/usr/bin/env node
// Every Node since version 12 can read this file: an old one must live long enough to say that it is too old.
const version = process.versions.node.split('.').map(Number);

if (version[0] < 22 || (version[0] === 22 && version[1] < 18)) {
  process.stderr.write(
    `beckon: Node ${process.versions.node} is too old; Beckon needs Node 22.18 or newer.\n` +
      'In a project, "npm install node@24" brings one that "npx beckon" then uses; for the whole machine, take it from https://nodejs.org.\n',
  );
  process.exitCode = 1;
} else {
  // Before anything else is read: so a checkout need not load what strips the types, but for files that changed.
  require('node:module').enableCompileCache();
  // A checkout runs its source, whatever was built there before; the published package has none.
  if (require('node:fs').existsSync(`${__dirname}/../src/cli/main.ts`)) import('../src/cli/main.ts');
  else import('../dist/cli/main.js');
}

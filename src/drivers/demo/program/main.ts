#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

// Two hundred of these may start at once, and stripping the types of many small files takes longer than all
// else at a start. Hence the cache, and the import only after it is on.
enableCompileCache();
const [{ runProgram }, { cast }] = await Promise.all([import('./program.ts'), import('./scenes/cast.ts')]);
await runProgram(process.argv.slice(2), cast);

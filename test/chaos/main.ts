import process from 'node:process';
import { parseArgs } from 'node:util';
import { endBeckons } from '../support/beckon-process.ts';
import { chaos } from './chaos.ts';

/** `npm run chaos -- --kills 500 [--seed N] [--agents 12] [--ephemeral]`: exit code 1 when a promise was not kept. */
const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '100' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
    agents: { type: 'string', default: '12' },
    ephemeral: { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed);
process.stdout.write(`seed ${seed}\n`);
const began = performance.now();
try {
  const { broken, ...figures } = await chaos({
    kills: Number(values.kills),
    seed,
    agents: Number(values.agents),
    ephemeral: values.ephemeral,
    tell: (line) => process.stdout.write(`${line}\n`),
  });
  const seconds = Math.round((performance.now() - began) / 1000);
  process.stdout.write(`${JSON.stringify({ seconds, ...figures }, null, 2)}\n`);
  for (const promise of broken) process.stdout.write(`broken: ${promise}\n`);
  if (broken.length > 0) process.exitCode = 1;
} finally {
  await endBeckons();
}

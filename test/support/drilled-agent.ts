import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Scenario } from '../contracts/agent-driver-contract.ts';

const main = resolve(import.meta.dirname, 'drilled-agent/main.ts');

/** A program in this directory that passes for Claude Code, with the drills; for `--claude`. */
export function drilledAgent(directory: string): string {
  mkdirSync(directory, { recursive: true });
  const program = join(directory, 'drilled-claude');
  const home = `BECKON_DEMO_HOME='${join(directory, 'drilled-home')}'`;
  writeFileSync(program, `#!/bin/sh\n${home} exec '${process.execPath}' '${main}' "$@"\n`, { mode: 0o755 });
  return program;
}

/** What to say to it to have it do what the contract of drivers is about. */
export const drilledScenario: Scenario = {
  reply: 'hello',
  command: 'run touch asked.txt',
  question: 'question',
  endless: 'slow 100000',
  twoAtOnce: '!parallel',
  subAgent: 'subagent',
  modelError: '!api-error',
  plan: 'plan',
  slash: 'hello',
  sleeper: "run setsid sh -c 'echo $$ > sleeper.pid; exec sleep 600' & wait",
};

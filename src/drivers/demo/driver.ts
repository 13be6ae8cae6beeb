import { mkdirSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AgentDriver } from '../../runner/ports/agent-driver.ts';
import { type ClaudeDriverOptions, wireDriver } from '../claude/driver.ts';

interface DemoDriverOptions extends Omit<ClaudeDriverOptions, 'program' | 'holdsQuestions'> {
  /** Where the demo agent keeps its conversations. */
  readonly home: string;
}

/** The built-in agent: a small program of ours that speaks the same wire, so that nothing needs to be installed. */
export function demoDriver({ home, ...options }: DemoDriverOptions): AgentDriver {
  makeHome(home);
  const extension = extname(fileURLToPath(import.meta.url));
  const program = fileURLToPath(new URL(`./program/main${extension}`, import.meta.url));
  return wireDriver({
    ...options,
    name: 'demo',
    label: 'Demo agent',
    locate: () => ({ command: process.execPath, leadingArgs: [program] }),
    missing: 'The demo agent is always there',
    needs: [home],
    settings: { BECKON_DEMO_HOME: home },
  });
}

/** It must be there to be seen from behind walls. */
function makeHome(home: string): void {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
  } catch {
    // A full disk: the demo agent then forgets its conversations.
  }
}

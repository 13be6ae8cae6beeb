import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drilledAgent } from './drilled-agent.ts';

export interface HeardAgent {
  /** For `--claude`. */
  readonly program: string;
  /** The texts of the messages that came in on its input, in order. */
  messages(): string[];
}

/** The drilled agent behind a pipe that keeps every byte it is told. */
export function heardAgent(directory: string): HeardAgent {
  mkdirSync(directory, { recursive: true });
  const program = join(directory, 'heard-claude');
  const record = join(directory, 'heard');
  const agent = drilledAgent(directory);
  writeFileSync(
    program,
    `#!/bin/sh\n[ "$1" = --version ] && exec '${agent}' "$@"\ntee -a '${record}' | exec '${agent}' "$@"\n`,
    { mode: 0o755 },
  );
  return {
    program,
    messages: () =>
      (existsSync(record) ? readFileSync(record, 'utf8') : '')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line))
        .filter(({ type }) => type === 'user')
        .map(({ message }) => textIn(message.content)),
  };
}

const textIn = (content: string | readonly { readonly text?: string }[]): string =>
  typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('');

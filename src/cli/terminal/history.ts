import { appendFile, chmod, mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { stripEscapes } from '../render/safe-text.ts';
import { writeSecretFile } from '../secret-files.ts';

/** What was said in this terminal and in earlier ones, oldest first. Answers are not among it: a form may ask for a secret. */
export interface History {
  readonly entries: readonly string[];
  add(text: string): void;
  /** Settles when all that was added is on the disk, or could not be. */
  settled(): Promise<void>;
}

const mostEntries = 500;
const longestEntry = 10_000;

/** Without a file it is forgotten with the program. */
export function historyInMemory(): History {
  const entries: string[] = [];
  return {
    entries,
    add: (text) => void append(entries, text),
    settled: async () => {},
  };
}

/** Kept in a file that only its owner reads, a line of JSON for each; a file that cannot be read or written is no reason to fail. */
export async function historyInFile(path: string): Promise<History> {
  const lines = ((await readFile(path, 'utf8').catch(() => '')) || '')
    .split('\n')
    .filter((line) => line !== '');
  const entries = lines.flatMap(entryOf).slice(-mostEntries);
  let inFile = lines.length;
  let writing: Promise<void> = Promise.resolve();
  return {
    entries,
    add(text) {
      if (!append(entries, text)) return;
      const kept = inFile >= 2 * mostEntries ? [...entries] : undefined;
      inFile = kept === undefined ? inFile + 1 : kept.length;
      writing = writing.then(() => write(path, kept ?? text)).catch(() => {});
    },
    settled: () => writing,
  };
}

function append(entries: string[], text: string): boolean {
  if (text.trim() === '' || text.length > longestEntry || text === entries.at(-1)) return false;
  entries.push(text);
  if (entries.length > mostEntries) entries.shift();
  return true;
}

function entryOf(line: string): string[] {
  try {
    const entry: unknown = JSON.parse(line);
    // Whoever can write the file must not thereby control the terminal.
    return typeof entry === 'string' && entry.length <= longestEntry ? [stripEscapes(entry)] : [];
  } catch {
    return [];
  }
}

/** One more, or all anew where the file has grown too long. */
async function write(path: string, what: string | readonly string[]): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  if (typeof what !== 'string') {
    await writeSecretFile(path, what.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
    return;
  }
  await appendFile(path, `${JSON.stringify(what)}\n`, { mode: 0o600 });
  await chmod(path, 0o600);
}

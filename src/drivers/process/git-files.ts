import { spawn } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import type { FileListing, ListTracked } from '../../runner/ports/file-listing.ts';

const longestMs = 3_000;

/** Files as git sees them: those it has, and those it would add. Undefined where there is no git, no repository, or one that it does not trust. */
export function gitFiles(
  { PATH, HOME }: Readonly<Record<string, string | undefined>>,
  mostListed = 200_000,
): ListTracked {
  const env = { ...harmless, ...(PATH && { PATH }), ...(HOME && { HOME }) };
  return (cwd) => {
    const { promise, resolve } = Promise.withResolvers<FileListing | undefined>();
    const git = spawn('git', listing, { cwd, env, stdio: ['ignore', 'pipe', 'ignore'] });
    const decoder = new StringDecoder('utf8');
    const paths: string[] = [];
    let rest = '';
    let isCut = false;
    const cut = (): void => {
      isCut = true;
      git.kill('SIGKILL');
    };
    const timer = setTimeout(cut, longestMs);
    git.stdout.on('data', (chunk: Buffer) => {
      const parts = (rest + decoder.write(chunk)).split('\0');
      rest = parts.pop() ?? '';
      for (const part of parts) paths.push(part);
      if (paths.length > mostListed) cut();
    });
    git.on('error', () => resolve(undefined));
    git.on('close', (code) =>
      resolve(code === 0 || isCut ? { paths: paths.slice(0, mostListed), isAll: !isCut } : undefined),
    );
    return promise.finally(() => clearTimeout(timer));
  };
}

/** What a repository is set to run, by its own settings or by fetching what it lacks, is not run. */
const harmless = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
};
const listing = [
  // Set to nothing: git before 2.36 would run a program called `false`.
  ...['-c', 'core.fsmonitor=', '-c', 'core.hooksPath=/dev/null', '-c', 'core.untrackedCache=false'],
  ...['ls-files', '--cached', '--others', '--exclude-standard', '-z'],
];

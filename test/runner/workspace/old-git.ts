import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export interface OldGit {
  /** With this git in front of the real one. */
  readonly path: string;
  /** What it was asked for and does not know, or knows as something that must not happen. */
  refused(): string[];
}

/**
 * A program that stands for git 2.30.2: it says so, refuses what came later, and forgets the settings and variables that 2.30 does not
 * know. All else is done by the git of this machine.
 */
export function oldGit(base: string, version = '2.30.2'): OldGit {
  const folder = join(base, 'old-git');
  const log = join(folder, 'refused');
  const path = process.env.PATH ?? '';
  mkdirSync(folder);
  writeFileSync(
    join(folder, 'git'),
    `#!/bin/sh
PATH='${path}'
unset ${laterVariables.join(' ')}
for arg do
  shift
  case "$arg" in
    ${refusedArguments.join('|')}) echo "$arg" >> '${log}'; exit 129;;
    ${laterSettings.join('|')}) arg=beckon.unknown=1;;
    version) echo 'git version ${version}'; exit 0;;
  esac
  set -- "$@" "$arg"
done
exec git "$@"
`,
  );
  chmodSync(join(folder, 'git'), 0o755);
  return {
    path: `${folder}${delimiter}${path}`,
    refused: () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []),
  };
}

const refusedArguments = [
  // Came with 2.38, 2.40, 2.36 and later.
  ...['--write-tree', '--merge-base=*', '--batch-command', '--source=*', '--orphan', '--omit-empty'],
  // Before 2.36 it names a program that is run, whatever it is called.
  'core.fsmonitor=?*',
  // It makes a pack of each file there: 3,000 files took more than two minutes.
  'core.bigFileThreshold=*',
];

const laterSettings = ['safe.bareRepository=*', 'core.fsync=*', 'core.fsyncMethod=*'];

const laterVariables = ['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_COUNT', 'GIT_NO_LAZY_FETCH'];

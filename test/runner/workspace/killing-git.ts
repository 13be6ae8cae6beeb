import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export interface Kill {
  /** At its n-th call of git, at the one with this argument, or at the first while this file is there. */
  readonly at: number | string | { readonly whileThere: string };
  /** `before`: that git does nothing. `meanwhile`: it is at work, and patient with a locked ref, when its caller is dead. */
  readonly when: 'before' | 'meanwhile' | 'after';
}

/** Runs a program of Node with a git that kills it. The program is given where git is found as its fourth argument. */
export async function killedByGit(
  base: string,
  program: string,
  { at, when }: Kill,
  args: { readonly cwd: string; readonly rest: readonly string[] },
): Promise<void> {
  const folder = join(base, 'programs');
  const count = join(folder, 'count');
  mkdirSync(folder, { recursive: true });
  writeFileSync(count, '');
  const path = process.env.PATH ?? '';
  const isNow =
    typeof at === 'number'
      ? `[ $(wc -c < '${count}') -eq ${at} ]`
      : typeof at === 'string'
        ? `case " $* " in *" ${at} "*) ;; *) false;; esac`
        : `[ -e '${at.whileThere}' ]`;
  writeFileSync(
    join(folder, 'git'),
    `#!/bin/sh
printf x >> '${count}'
PATH='${path}'
if ${isNow}; then
  if [ ${when} = meanwhile ]; then
    git -c core.filesRefLockTimeout=-1 "$@" &
  elif [ ${when} = after ]; then
    git "$@"
  fi
  kill -9 $PPID
  exit 1
fi
exec git "$@"
`,
  );
  chmodSync(join(folder, 'git'), 0o755);
  const given = [
    join(base, 'data'),
    join(base, 'home'),
    args.cwd,
    `${folder}${delimiter}${path}`,
    ...args.rest,
  ];
  const child = spawn(process.execPath, [program, ...given], { stdio: ['ignore', 'ignore', 'inherit'] });
  await once(child, 'close');
}

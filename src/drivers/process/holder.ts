import { type ChildProcess, spawn } from 'node:child_process';
import type { ProcessSpec } from '../../runner/ports/process-host.ts';
import { markerVariable } from './process-table.ts';
import { exitIn, type RunDirectory, shellPid } from './run-directory.ts';

/**
 * A small shell runs each agent, so that the agent's end is known also when no server is there to see it. It needs
 * `sh`, `mkdir`, `mkfifo`, `cat` and `mv`, and two processes of some tens of kilobytes:
 *
 * - the shell itself waits for the agent and writes its exit status down;
 * - a copy of it (`&`) holds the writing end of the agent's input, so that the agent does not see the end of its input when a
 *   server dies. A name on `hold` makes it write that file of `large`; an empty line makes it let go.
 *
 * The agent runs in the foreground: a shell without a terminal makes what it runs in the background ignore SIGINT, and so would
 * every command of the agent.
 *
 * $1 the run's directory, $2 the marker of the agent's processes, then the command. Started twice for one directory, the second
 * does nothing.
 */
const script = `
PATH=/usr/bin:/bin:$PATH mkdir "$1/begun" 2>/dev/null || exit 0
printf '%s\\n' $$ >"$1/begun/shell"
PATH=/usr/bin:/bin:$PATH mkfifo -m 600 "$1/in" "$1/hold" || exit 1
exec 6>&2 2>"$1/agent/how"
exec 3<>"$1/in" 4>"$1/in" 5<>"$1/hold"
(
  exec 3<&- 6>&- 2>/dev/null
  PATH=/usr/bin:/bin:$PATH
  while read -r name <&5 && [ -n "$name" ]; do
    [ -f "$1/large/$name" ] || continue
    cat "$1/large/$name" >&4 && became=sent || became=failed
    mv "$1/large/$name" "$1/agent/$became-$name"
  done
) &
exec 3<&- 4>&- 5<&-
trap : HUP INT TERM
( exec /bin/sh -c 'printf "%s\\n" $$ >"$1/agent/pid"; ${markerVariable}=$2; export ${markerVariable}; shift 2; exec "$@"' sh "$@" <"$1/in" 2>&6 6>&- )
status=$?
trap "" HUP INT TERM
printf '%s\\n' $status >"$1/agent/exit"
kill $! 2>/dev/null
`;

/** Ends the marker of the shells that hold an agent: they are none of its processes, and are not ended with them. */
export const holderSuffix = '/holder';

/** It runs, or is about to: the shell that waits for it is there. The copy of that may outlive both, and waits for nothing. */
export function isThere(
  run: RunDirectory,
  marker: string,
  markers: ReadonlyMap<string, readonly number[]>,
): boolean {
  if (exitIn(run) !== undefined) return false;
  if (markers.has(marker)) return true;
  const shells = markers.get(`${marker}${holderSuffix}`) ?? [];
  const waiting = shellPid(run);
  return waiting === undefined ? shells.length > 0 : shells.includes(waiting);
}

/** Never throws because of the program: whether that can be run is found out by the shell. */
export function startHolder(
  { command, args, cwd, env }: Pick<ProcessSpec, 'command' | 'args' | 'cwd' | 'env'>,
  {
    directory,
    marker,
    holder,
    out,
    err,
  }: {
    readonly directory: string;
    /** Of what is run, and of the shell that runs it. */
    readonly marker: string;
    readonly holder: string;
    readonly out: number;
    readonly err: number;
  },
): ChildProcess {
  const child = spawn('/bin/sh', ['-c', script, 'sh', directory, marker, command, ...args], {
    cwd,
    env: { ...env, [markerVariable]: holder },
    stdio: ['ignore', out, err],
    detached: true,
  });
  child.unref();
  return child;
}

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { findWalls } from '../../src/drivers/process/walls.ts';
import { SessionId } from '../../src/protocol/ids.ts';

/** What agents are used for, tried without walls and behind them. Run by itself it does so as whoever runs it, and prints what worked. */
export interface Trial {
  /** As it stands in docs/operating.md. */
  readonly name: string;
  /** Works if this ends with 0, in a directory of its own. */
  readonly command: string;
  /** Whether it works behind walls where it works without them; left out, it does not without them either. */
  readonly user?: boolean;
  readonly root?: boolean;
}

const outside = '$OUTSIDE';

export const trials: readonly Trial[] = [
  {
    name: 'git, npm, node, python',
    command: `git init -q work && cd work && echo x > file && git add file && git -c user.name=a -c user.email=a@b commit -qm x &&
      echo '{"scripts":{"greet":"echo hello"}}' > package.json && npm run -s greet && node -e 1 && python3 -c 1`,
    user: true,
    root: true,
  },
  {
    name: 'files elsewhere: your home, `/tmp`, `/dev/shm`',
    command:
      'cat "$HOME/shared" && echo x > "$HOME/made" && echo x > /dev/shm/beckon-$$ && rm /dev/shm/beckon-$$',
    user: true,
    root: true,
  },
  {
    name: 'sockets of other programs of yours: ssh-agent, docker, what lies in `$XDG_RUNTIME_DIR`',
    command: `node -e 'require("net").connect(process.env.XDG_RUNTIME_DIR + "/socket").on("error", () => process.exit(1)).resume()'`,
    user: true,
    root: true,
  },
  {
    name: 'the network, a server on a port',
    command: `node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => require("net").connect(s.address().port, () => process.exit(0)))'`,
    user: true,
    root: true,
  },
  {
    name: 'strace and gdb of what it started itself',
    command: 'strace -o /dev/null true',
    user: true,
    root: true,
  },
  { name: 'namespaces of its own (`unshare -Urm`)', command: 'unshare -Urm true', user: true, root: true },
  {
    name: 'another bubblewrap inside, such as an agent’s own sandbox; Chromium with its own',
    command: 'bwrap --dev-bind / / --unshare-pid --proc /proc true',
    user: true,
    root: false,
  },
  { name: '`chown`, a package manager, ports below 1024', command: 'touch file && chown 1 file', root: true },
  {
    name: 'programs that change their user: `sudo`, `su`, `ping` where it needs that',
    command: 'test "$("$SET_USER_ID" -u)" = 0',
    user: false,
    root: true,
  },
  { name: 'seeing processes that it did not start', command: `ps -p ${outside}`, user: false, root: false },
  { name: 'signals to them, gdb of them', command: `kill -0 ${outside}`, user: false, root: false },
  { name: '`mount`', command: 'unshare -m mount -t tmpfs none /mnt', root: false },
  { name: 'the data directory of Beckon', command: 'cat "$BECKON_DATA/token"', user: false, root: false },
];

export interface TrialResult {
  readonly without: boolean;
  readonly behind: boolean;
}

if (import.meta.main) process.stdout.write(JSON.stringify(await tryAll(process.argv[2] ?? '')));

async function tryAll(setUserId: string): Promise<Record<string, TrialResult>> {
  const directory = mkdtempSync(join(tmpdir(), 'beckon-trials-'));
  const [data, home, run] = ['data', 'home', 'run'].map((name) => {
    mkdirSync(join(directory, name), { mode: 0o700 });
    return join(directory, name);
  }) as [string, string, string];
  writeFileSync(join(data, 'token'), 'secret');
  writeFileSync(join(home, 'shared'), 'shared');
  const server = createServer((socket) => socket.end('here')).listen(join(run, 'socket'));
  await once(server, 'listening');
  const env = {
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: home,
    XDG_RUNTIME_DIR: run,
    OUTSIDE: String(process.pid),
    SET_USER_ID: setUserId,
    BECKON_DATA: data,
  };
  const walls = await findWalls(data, env);
  if ('missing' in walls) throw new Error(walls.missing);
  const results: Record<string, TrialResult> = {};
  for (const { name, command } of trials) {
    const works = async (isWalled: boolean): Promise<boolean> => {
      const cwd = mkdtempSync(join(directory, 'work-'));
      const spec = {
        id: 'trial',
        sessionId: SessionId.parse('s'),
        command: 'sh',
        args: ['-c', command],
        cwd,
        env,
      };
      const walled = isWalled ? walls.around(spec, 'trial') : spec;
      if ('cannot' in walled) throw new Error(walled.cannot);
      const child = spawn(walled.command, walled.args, { cwd, env, stdio: 'ignore' });
      const [code] = await once(child, 'close');
      return code === 0;
    };
    results[name] = { without: await works(false), behind: await works(true) };
  }
  server.close();
  rmSync(directory, { recursive: true, force: true });
  return results;
}

/** Runs this file as whoever runs the test, or as somebody else who is nobody. Only root can be another. */
export function triedAs(who: 'self' | 'nobody'): Record<string, TrialResult> {
  const directory = mkdtempSync(join(tmpdir(), 'beckon-set-user-id-'));
  const setUserId = join(directory, 'id');
  execFileSync('chmod', ['755', directory]);
  copyFileSync('/usr/bin/id', setUserId);
  execFileSync('chmod', ['4755', setUserId]);
  const prefix = who === 'self' ? [] : ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];
  const [command = '', ...args] = [...prefix, process.execPath, import.meta.filename, setUserId];
  try {
    return JSON.parse(execFileSync(command, args, { cwd: tmpdir(), encoding: 'utf8' }));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

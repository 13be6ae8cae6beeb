import { existsSync, readFileSync } from 'node:fs';
import { win32 } from 'node:path';

/** What `spawn` and `execFile` are called with. */
export interface Startable {
  readonly file: string;
  readonly given: readonly string[];
  /** The arguments are quoted already. */
  readonly windowsVerbatimArguments?: true;
}

/** The files of the machine; tests give others. */
export interface WindowsFiles {
  readonly platform: NodeJS.Platform;
  /** Undefined where there is none. */
  read(path: string): string | undefined;
  exists(path: string): boolean;
}

const theseFiles: WindowsFiles = {
  platform: process.platform,
  exists: existsSync,
  read(path) {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return undefined;
    }
  },
};

/**
 * A program and its arguments as the system can start them. On Windows a `.cmd` or `.bat` file is no program: the scripts that npm puts
 * into its place are started with Node, without the shell in between, and others by the shell, with every argument quoted for it.
 */
export function startable(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  files: WindowsFiles = theseFiles,
): Startable {
  if (files.platform !== 'win32' || !/\.(?:cmd|bat)$/i.test(command)) return { file: command, given: args };
  const script = scriptOf(command, files);
  if (script !== undefined) {
    const beside = win32.join(win32.dirname(command), 'node.exe');
    return { file: files.exists(beside) ? beside : 'node.exe', given: [script, ...args] };
  }
  const broken = args.find((argument) => /[\r\n\0]/.test(argument));
  if (broken !== undefined) throw new Error(`"${command}" cannot be given an argument of several lines`);
  const line = [escaped(command), ...args.map(quoted).map(escaped).map(escaped)].join(' ');
  return {
    file: windowsVariable(env, 'ComSpec') ?? 'cmd.exe',
    given: ['/d', '/s', '/c', `"${line}"`],
    windowsVerbatimArguments: true,
  };
}

/** The script for Node that a file of npm's stands for, with its path whole. */
function scriptOf(command: string, files: WindowsFiles): string | undefined {
  const [, below] = /"%(?:~dp0|dp0%)\\([^"%]+\.[cm]?js)"\s+%\*/i.exec(files.read(command) ?? '') ?? [];
  const script = below === undefined ? undefined : win32.join(win32.dirname(command), below);
  return script !== undefined && files.exists(script) ? script : undefined;
}

/** So that a program finds it again as one argument: quotes, and the backslashes before them, are escaped. */
const quoted = (argument: string): string =>
  `"${argument.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`;

/** So that the shell takes no sign for its own. A file's `%*` is read by the shell once more: arguments are escaped twice. */
const escaped = (text: string): string => text.replace(/[()[\]%!^"`<>&|;, *?]/g, '^$&');

/** Names of variables are not told apart by their case there. */
export function windowsVariable(env: Readonly<Record<string, string>>, name: string): string | undefined {
  const found = Object.keys(env).find((each) => each.toUpperCase() === name.toUpperCase());
  return found === undefined ? undefined : env[found];
}

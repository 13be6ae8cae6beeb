import { spawn } from 'node:child_process';
import { platform } from 'node:process';
import type { Console } from './console.ts';

/** Shows the page, where there is a person with a screen; a browser that does not start is no failure. */
export function openBrowser(url: string, { env, stdout }: Console): void {
  if (!stdout.isTTY || env.CI || !hasDisplay(env)) return;
  const [command, ...args] = openerOf(url);
  const child = spawn(command, args, { detached: true, stdio: 'ignore' });
  child.on('error', () => {});
  child.unref();
}

function hasDisplay(env: Console['env']): boolean {
  return platform === 'darwin' || platform === 'win32' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
}

function openerOf(url: string): [string, ...string[]] {
  switch (platform) {
    case 'darwin':
      return ['open', url];
    case 'win32':
      // `start` belongs to the shell, and its first quoted argument is a window's title.
      return ['cmd', '/c', 'start', '""', url];
    default:
      return ['xdg-open', url];
  }
}

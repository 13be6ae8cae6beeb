import { access, constants, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { isWithin } from '../directory.ts';

/**
 * Where a program is that is named in the configuration. One without a path is looked for on the PATH, but never where a session works:
 * a repository must not bring along what is started here.
 */
export async function findProgram(name: string, path: string, notFrom: string): Promise<string | undefined> {
  if (isAbsolute(name)) return (await canRun(name)) ? name : undefined;
  if (/[/\\]/.test(name)) return undefined;
  for (const folder of path.split(delimiter)) {
    if (!isAbsolute(folder) || isWithin(folder, notFrom)) continue;
    for (const ending of endings) {
      const program = join(folder, name + ending);
      if (await canRun(program)) return program;
    }
  }
  return undefined;
}

const endings = process.platform === 'win32' ? ['', '.exe'] : [''];

async function canRun(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

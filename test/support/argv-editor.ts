import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from './eventually.ts';

/** A program that stands for an editor and writes down what it was started with. */
export interface ArgvEditor {
  readonly program: string;
  /** What it was started with, once it was; each time is told once. */
  started(): Promise<StartedEditor>;
  /** How often it was. */
  count(): number;
}

export interface StartedEditor {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly environment: string;
}

/** Each argument ends with a zero byte, which no argument can hold. Renamed when it is whole. */
export function argvEditor(folder: string, name = 'an editor'): ArgvEditor {
  const program = join(folder, name);
  const note = join(folder, `${name}.note`);
  const script = `#!/bin/sh
{ pwd -P; env | sort; printf '\\0'; [ $# -eq 0 ] || printf '%s\\0' "$@"; } > "$0.part"
echo >> "$0.count"
mv "$0.part" "$0.note"
`;
  writeFileSync(program, script);
  chmodSync(program, 0o755);
  return {
    program,
    async started() {
      await eventually('the editor was started', () => existsSync(note));
      const [head = '', ...args] = readFileSync(note, 'utf8').split('\0').slice(0, -1);
      rmSync(note);
      const [cwd = '', ...environment] = head.split('\n');
      return { args, cwd, environment: environment.join('\n') };
    },
    count: () => (existsSync(`${program}.count`) ? readFileSync(`${program}.count`, 'utf8').length : 0),
  };
}

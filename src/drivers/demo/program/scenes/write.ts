import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Scene } from './scene.ts';

const COMMAND =
  /^(?:write|create|edit|change)\b(?!\s+(?:a\s+)?to-?dos?(?:\s+list)?$)(?:\s+(?:a|an|the|me|my|new|some|file|called|named|to|for))*(?:\s+(\S+))?/i;
const DEFAULT_NAME = 'demo-notes.md';

export const write: Scene = {
  name: 'write NAME',
  about: 'writes a file and then edits it; both ask you first',
  changes: true,
  matches: (text) => COMMAND.test(text),
  play: async (stage) => {
    const name = COMMAND.exec(stage.text.replace(/^\//, ''))?.[1] ?? DEFAULT_NAME;
    const path = freePath(resolve(stage.session.cwd, name));
    const written = basename(path);
    await stage.say(
      written === basename(name)
        ? `I will write \`${name}\` and then change a line in it.`
        : `\`${name}\` is yours, so I will write \`${written}\` instead, and then change a line in it.`,
    );
    const writing = await stage.tool('Write', { file_path: path, content: draft(path) });
    if (writing.isError) {
      await stage.say(`I did not write \`${written}\`: ${writing.text}`);
      return;
    }
    await stage.say('Written. Now the edit.');
    const editing = await stage.tool('Edit', {
      file_path: path,
      old_string: 'Status: draft',
      new_string: 'Status: reviewed by a person',
      replace_all: false,
    });
    await stage.say(
      editing.isError
        ? `The edit was not made: ${editing.text}`
        : `Done: \`${written}\` is written and edited.`,
    );
  },
};

/** A demo must not overwrite someone's work, not even with permission given too quickly. */
function freePath(path: string): string {
  if (!existsSync(path) || isOurs(path)) return path;
  return freePath(join(dirname(path), `demo-${basename(path)}`));
}

function isOurs(path: string): boolean {
  try {
    return readFileSync(path, 'utf8').startsWith(draft(path).replace(/draft\n$/, ''));
  } catch {
    return false;
  }
}

function draft(path: string): string {
  return `# ${basename(path)}\n\nStatus: draft\n`;
}

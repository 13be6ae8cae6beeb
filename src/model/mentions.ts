import type { AgentCommand } from '../protocol/session.ts';

/** What is being typed behind an @ that begins a word, up to the caret. */
export function typedMention(
  draft: string,
  caret: number,
): { readonly start: number; readonly typed: string } | undefined {
  const typed = /(?:^|\s)@([^\s@"]*)$/.exec(draft.slice(0, caret))?.[1];
  return typed === undefined ? undefined : { start: caret - typed.length - 1, typed };
}

/** As it is written in a message. */
export const mentionOf = (path: string): string => (/\s/.test(path) ? `@"${path}"` : `@${path}`);

/** What was typed of a command's name; undefined where the text is no command, or is past its name. */
export const typedName = (draft: string): string | undefined => /^\/(\S*)$/.exec(draft)?.[1];

/** The commands that may be meant: the one of that very name, then those that begin with it, then those that have it in them. */
export function matchingCommands(commands: readonly AgentCommand[], typed: string): readonly AgentCommand[] {
  const wanted = typed.toLowerCase();
  const rank = ({ name }: AgentCommand): number => {
    const found = name.toLowerCase();
    if (found === wanted) return 0;
    if (found.startsWith(wanted)) return 1;
    return found.includes(wanted) ? 2 : 3;
  };
  const ranked = commands.map((command) => ({ command, rank: rank(command) }));
  return ranked
    .filter((each) => each.rank < 3)
    .sort((a, b) => a.rank - b.rank)
    .map(({ command }) => command);
}

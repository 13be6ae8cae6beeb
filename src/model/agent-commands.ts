import type { AgentCommand } from '../protocol/session.ts';

const most = 200;
const longest = { name: 100, hint: 200, description: 500 };

/** The commands as they are stored: however much an agent declares, the log and every snapshot stay small. */
export function keptCommands(declared: readonly AgentCommand[]): AgentCommand[] {
  const kept = new Map<string, AgentCommand>();
  for (const command of declared) {
    if (kept.size === most) break;
    if (isName(command.name) && !kept.has(command.name)) kept.set(command.name, cut(command));
  }
  return [...kept.values()];
}

export const sameCommands = (some: readonly AgentCommand[], others: readonly AgentCommand[]): boolean =>
  some.length === others.length &&
  some.every(({ name, description, hint }, at) => {
    const other = others[at];
    return other?.name === name && other.description === description && other.hint === hint;
  });

/** A name is never cut, nor shown as another than the one that is sent: it is left out instead. */
const isName = (name: string): boolean =>
  name !== '' && name.length <= longest.name && name.trim() === name && !/[\p{C}\p{Zl}\p{Zp}]/u.test(name);

const cut = ({ name, description, hint }: AgentCommand): AgentCommand => ({
  name,
  description: upTo(longest.description, description),
  ...(hint === undefined || hint.trim() === '' ? {} : { hint: upTo(longest.hint, hint) }),
});

/** Half a character at the end of the cut would be no text any more. */
const upTo = (length: number, text: string): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;

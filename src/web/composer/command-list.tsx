import { type RefObject, useMemo, useState } from 'react';
import type { AgentCommand } from '../../protocol/session.ts';
import { useAgentCommands } from '../data/use-agent-commands.ts';
import { useT } from '../i18n/i18n.ts';
import { oneLine } from '../text/plain-text.ts';
import { Listbox, type ListboxModel, useListbox } from '../ui/listbox.tsx';
import type { ComposerModel } from './use-composer.ts';

/** The agent's commands that may be meant, above the field in which one is being typed. */
export function CommandList({
  list,
  isSmall = false,
}: {
  readonly list: ListboxModel<AgentCommand>;
  readonly isSmall?: boolean;
}) {
  const t = useT();
  return (
    <Listbox list={list} label={t('composer.commands')} keyOf={({ name }) => name} isSmall={isSmall}>
      {({ name, hint, description }) => (
        <>
          <span className="flex min-w-0 items-baseline gap-2 font-mono text-sm">
            <span className="min-w-0 font-semibold wrap-anywhere">/{name}</span>
            {hint !== undefined && (
              <span className="min-w-0 flex-1 truncate text-faint text-xs">{oneLine(hint)}</span>
            )}
          </span>
          {description !== '' && (
            <span className="line-clamp-2 text-soft text-xs wrap-anywhere">{oneLine(description)}</span>
          )}
        </>
      )}
    </Listbox>
  );
}

/** Offers the agent's commands while the name of one is being typed. */
export function useCommandList(
  sessionId: string,
  { draft, setDraft, answers, blocked }: Pick<ComposerModel, 'draft' | 'setDraft' | 'answers' | 'blocked'>,
  field: RefObject<HTMLElement | null>,
): ListboxModel<AgentCommand> {
  const [isFocused, setFocused] = useState(false);
  const isOver = blocked === 'stopped' || blocked === 'failed';
  // An answer goes to whoever asked, and is no command.
  const typed = answers === null && !isOver ? typedName(draft) : undefined;
  const known = useAgentCommands(sessionId, isFocused && typed !== undefined);
  const commands = useMemo(() => (typed === undefined ? [] : matchingCommands(known, typed)), [known, typed]);
  return useListbox({
    sought: typed,
    options: commands,
    isFocused,
    setFocused,
    isTypedInFull: ({ name }) => name === typed,
    onPick: ({ name }) => {
      setDraft(`/${name} `);
      field.current?.focus();
    },
  });
}

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

import { type KeyboardEvent, type RefObject, useEffect, useId, useMemo, useState } from 'react';
import type { AgentCommand } from '../../protocol/session.ts';
import { useAgentCommands } from '../data/use-agent-commands.ts';
import { useT } from '../i18n/i18n.ts';
import { oneLine } from '../text/plain-text.ts';
import { cx } from '../ui/class-names.ts';
import type { ComposerModel } from './use-composer.ts';

/** The agent's commands that may be meant, above the field in which one is being typed. */
export function CommandList({
  list,
  isSmall = false,
}: {
  readonly list: CommandListModel;
  /** In a monitor, which is hardly higher than the list. */
  readonly isSmall?: boolean;
}) {
  const t = useT();
  if (!list.isOpen) return null;
  return (
    <div
      id={list.id}
      role="listbox"
      aria-label={t('composer.commands')}
      className={cx(
        'absolute -inset-x-px bottom-full z-30 mb-1 animate-appear overflow-y-auto overscroll-contain rounded-ui border border-line bg-raised p-1 shadow-float',
        isSmall ? 'max-h-36' : 'max-h-[min(18rem,40dvh)]',
      )}
    >
      {list.commands.map((command, index) => {
        const isChosen = index === list.at;
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are read where one types
          <div
            key={command.name}
            id={optionId(list.id, index)}
            role="option"
            tabIndex={-1}
            aria-selected={isChosen}
            ref={isChosen ? (element) => element?.scrollIntoView({ block: 'nearest' }) : undefined}
            // The field keeps the focus, or the list would be gone before the press ends.
            onMouseDown={(event) => event.preventDefault()}
            onPointerMove={() => list.setAt(index)}
            onClick={() => list.pick(command)}
            className={cx(
              'flex cursor-pointer flex-col justify-center rounded-tight px-2.5 py-1.5 pointer-coarse:min-h-11',
              isChosen && 'bg-sunken',
            )}
          >
            <span className="flex min-w-0 items-baseline gap-2 font-mono text-sm">
              <span className="min-w-0 font-semibold wrap-anywhere">/{command.name}</span>
              {command.hint !== undefined && (
                <span className="min-w-0 flex-1 truncate text-faint text-xs">{oneLine(command.hint)}</span>
              )}
            </span>
            {command.description !== '' && (
              <span className="line-clamp-2 text-soft text-xs wrap-anywhere">
                {oneLine(command.description)}
              </span>
            )}
          </div>
        );
      })}
    </div>
  );
}

interface CommandListModel {
  readonly id: string;
  readonly isOpen: boolean;
  readonly commands: readonly AgentCommand[];
  /** The one that Enter takes, by its place. */
  readonly at: number;
  setAt(at: number): void;
  pick(command: AgentCommand): void;
  /** Whether the key was meant for the list. */
  pressed(event: KeyboardEvent): boolean;
  /** What the field says of itself: while the list is open it is where one chooses from it. */
  readonly fieldProps: FieldProps;
}

interface FieldProps {
  readonly role?: 'combobox';
  readonly 'aria-expanded'?: true;
  readonly 'aria-autocomplete'?: 'list';
  readonly 'aria-controls'?: string;
  readonly 'aria-activedescendant'?: string;
  readonly onFocus: () => void;
  readonly onBlur: () => void;
}

/** Offers the agent's commands while the name of one is being typed. */
export function useCommandList(
  sessionId: string,
  { draft, setDraft, answers, blocked }: Pick<ComposerModel, 'draft' | 'setDraft' | 'answers' | 'blocked'>,
  field: RefObject<HTMLElement | null>,
): CommandListModel {
  const id = useId();
  const [isFocused, setFocused] = useState(false);
  const [isDismissed, setDismissed] = useState(false);
  const [chosen, setChosen] = useState(first);
  const isOver = blocked === 'stopped' || blocked === 'failed';
  // An answer goes to whoever asked, and is no command.
  const typed = answers === null && !isOver ? typedName(draft) : undefined;
  const known = useAgentCommands(sessionId, isFocused && typed !== undefined);
  const commands = useMemo(() => (typed === undefined ? [] : matchingCommands(known, typed)), [known, typed]);
  useEffect(() => {
    // The next command is begun afresh.
    if (typed !== undefined) return;
    setDismissed(false);
    setChosen(first);
  }, [typed]);

  const isOpen = isFocused && !isDismissed && commands.length > 0;
  const at = chosen.typed === typed ? Math.min(chosen.at, commands.length - 1) : 0;
  const setAt = (to: number): void => setChosen({ typed: typed ?? '', at: to });
  const pick = ({ name }: AgentCommand): void => {
    setDraft(`/${name} `);
    field.current?.focus();
  };

  const pressed = (event: KeyboardEvent): boolean => {
    if (!isOpen || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return false;
    const current = commands[at];
    switch (event.key) {
      case 'ArrowDown':
        setAt((at + 1) % commands.length);
        break;
      case 'ArrowUp':
        setAt((at - 1 + commands.length) % commands.length);
        break;
      case 'Enter':
        // Typed in full there is nothing left to choose: it is sent.
        if (current === undefined || current.name === typed) return false;
        pick(current);
        break;
      case 'Tab':
        if (current === undefined) return false;
        pick(current);
        break;
      case 'Escape':
        setDismissed(true);
        event.stopPropagation();
        break;
      default:
        return false;
    }
    event.preventDefault();
    return true;
  };

  return {
    id,
    isOpen,
    commands,
    at,
    setAt,
    pick,
    pressed,
    fieldProps: {
      onFocus: () => setFocused(true),
      onBlur: () => setFocused(false),
      ...(isOpen && {
        role: 'combobox',
        'aria-expanded': true,
        'aria-autocomplete': 'list',
        'aria-controls': id,
        'aria-activedescendant': optionId(id, at),
      }),
    },
  };
}

const first = { typed: '', at: 0 };

const optionId = (listId: string, at: number): string => `${listId}-${at}`;

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

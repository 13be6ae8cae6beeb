import { type KeyboardEvent, type RefObject, useEffect, useId, useMemo, useState } from 'react';
import type { AgentCommand } from '../../protocol/session.ts';
import { useAgentCommands } from '../data/use-agent-commands.ts';
import { matchingCommands, typedName } from './commands.logic.ts';
import type { ComposerModel } from './use-composer.ts';

export interface CommandListModel {
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

export const optionId = (listId: string, at: number): string => `${listId}-${at}`;

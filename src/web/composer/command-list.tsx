import { File } from 'lucide-react';
import { type RefObject, type SyntheticEvent, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { bestMatches } from '../../model/file-match.ts';
import { matchingCommands, mentionOf, typedMention, typedName } from '../../model/mentions.ts';
import type { FoundFiles } from '../../protocol/directory.ts';
import type { AgentCommand } from '../../protocol/session.ts';
import { useTransport } from '../data/room-context.tsx';
import { useAgentCommands } from '../data/use-agent-commands.ts';
import { useLatestAnswer } from '../data/use-latest-answer.ts';
import { useT } from '../i18n/i18n.ts';
import { oneLine } from '../text/plain-text.ts';
import { Listbox, type ListboxModel, useCompletion } from '../ui/listbox.tsx';
import type { ComposerModel } from './use-composer.ts';

type Offered =
  | { readonly is: 'command'; readonly key: string; readonly command: AgentCommand }
  | { readonly is: 'file'; readonly key: string };

/** The agent's commands, or the files, that may be meant, above the field in which one is being typed. */
export function CommandList({
  list,
  isSmall = false,
}: {
  readonly list: ListboxModel<Offered>;
  readonly isSmall?: boolean;
}) {
  const t = useT();
  const label = t(list.options[0]?.is === 'file' ? 'composer.files' : 'composer.commands');
  return (
    <Listbox
      list={list}
      label={label}
      keyOf={({ key }) => key}
      {...(isSmall && { className: 'max-h-36 rounded-ui border border-line bg-raised p-1' })}
    >
      {(option) =>
        option.is === 'file' ? <FileOption path={option.key} /> : <CommandOption command={option.command} />
      }
    </Listbox>
  );
}

function CommandOption({ command: { name, hint, description } }: { readonly command: AgentCommand }) {
  return (
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
  );
}

const FileOption = ({ path }: { readonly path: string }) => (
  <span className="flex min-w-0 items-center gap-2 font-mono text-sm">
    <File aria-hidden className="size-3.5 shrink-0 text-faint" />
    <span className="min-w-0 wrap-anywhere">{path}</span>
  </span>
);

/** Offers the agent's commands while the name of one is being typed, and the session's files behind an @. */
export function useCommandList(
  sessionId: string,
  { draft, setDraft, answers, blocked }: Pick<ComposerModel, 'draft' | 'setDraft' | 'answers' | 'blocked'>,
  field: RefObject<HTMLTextAreaElement | null>,
) {
  const transport = useTransport();
  const [isFocused, setFocused] = useState(false);
  const [caret, setCaret] = useState(draft.length);
  const caretAfterPick = useRef<number>(undefined);
  const isOver = blocked === 'stopped' || blocked === 'failed';
  // An answer goes to whoever asked, and is no command.
  const isMessage = answers === null && !isOver;
  const name = isMessage ? typedName(draft) : undefined;
  const mention = isMessage ? typedMention(draft, caret) : undefined;
  const known = useAgentCommands(sessionId, isFocused && name !== undefined);
  const found = useLatestAnswer(
    (q) => transport.files(sessionId, { q, limit: 20 }),
    isFocused ? mention?.typed : undefined,
    matching,
  );
  const options = useMemo((): readonly Offered[] => {
    if (name !== undefined)
      return matchingCommands(known, name).map((command) => ({ is: 'command', key: command.name, command }));
    return (found?.value?.files ?? []).map((key) => ({ is: 'file', key }));
  }, [known, name, found]);
  // Written anew, a field has its caret at the end.
  useLayoutEffect(() => {
    const at = caretAfterPick.current;
    caretAfterPick.current = undefined;
    if (at !== undefined) field.current?.setSelectionRange(at, at);
  });
  const list = useCompletion({
    sought: name === undefined ? mention && `@${mention.typed}` : `/${name}`,
    options,
    isFocused,
    setFocused,
    isTypedInFull: ({ is, key }) => key === (is === 'file' ? mention?.typed : name),
    onPick: ({ is, key }) => {
      if (is === 'command') setDraft(`/${key} `);
      else if (mention !== undefined) {
        const before = `${draft.slice(0, mention.start)}${mentionOf(key)} `;
        caretAfterPick.current = before.length;
        setCaret(before.length);
        setDraft(before + draft.slice(caret).replace(/^ /, ''));
      }
      field.current?.focus();
    },
  });
  const fieldProps = {
    ...list.fieldProps,
    onSelect: ({ currentTarget }: SyntheticEvent<HTMLTextAreaElement>) =>
      setCaret(currentTarget.selectionStart),
  };
  return { ...list, fieldProps };
}

/** Of the files found for what stood there before, those that may be meant now. */
const matching = ({ files }: FoundFiles, typed: string): FoundFiles => ({
  files: [...bestMatches(files, typed)],
  isAll: false,
});

import { GitBranch, History } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { DirectoryChoice, DirectoryCompletion } from '../../protocol/directory.ts';
import { useTransport } from '../data/room-context.tsx';
import { useLatestAnswer } from '../data/use-latest-answer.ts';
import { useT } from '../i18n/i18n.ts';
import { errorText } from '../text/error-text.ts';
import { Field, Input } from '../ui/field.tsx';
import { Listbox, useCompletion } from '../ui/listbox.tsx';
import { shortDirectory } from './activity.logic.ts';

interface Offered extends Pick<DirectoryChoice, 'path' | 'branch'> {
  readonly isRecent: boolean;
}

/** Where the session works: typed, completed by what is there, or one that was used before; with the branch that is checked out. */
export function DirectoryField({
  machine,
  value,
  recent,
  error,
  onChange,
}: {
  /** Empty for the server's own. */
  readonly machine: string;
  readonly value: string;
  readonly recent: readonly string[];
  readonly error: string | undefined;
  readonly onChange: (path: string) => void;
}) {
  const t = useT();
  const transport = useTransport();
  const [isFocused, setFocused] = useState(false);
  const typed = value.trim();
  const answer = useLatestAnswer(
    (path) => transport.directories({ ...(path !== '' && { path }), ...(machine !== '' && { machine }) }),
    typed,
    beginningWith,
  );
  const options = useMemo(
    () => offered(recent, answer?.value?.directories ?? [], typed),
    [recent, answer, typed],
  );
  const list = useCompletion<Offered>({
    sought: value,
    options,
    isFocused,
    setFocused,
    textOf: ({ path }) => path,
    onPick: ({ path }) => onChange(path),
  });
  const known = answer?.asked === typed ? answer : undefined;
  return (
    <Field label={t('new.cwd')} error={error} hint={hint()}>
      {(ids) => (
        <>
          <div className="relative">
            <Input
              {...ids}
              {...list.fieldProps}
              value={value}
              spellCheck={false}
              autoComplete="off"
              autoCapitalize="off"
              placeholder={machine === '' ? t('new.cwdHint') : '~'}
              onChange={(event) => onChange(event.target.value)}
              onKeyDown={list.pressed}
              className="font-mono"
            />
            <Listbox list={list} label={t('new.directories')} keyOf={({ path }) => path} placement="below">
              {({ path, branch, isRecent }) => (
                <span className="flex min-w-0 items-center gap-2 text-sm">
                  {isRecent && (
                    <History aria-label={t('new.recent')} className="size-3.5 shrink-0 text-faint" />
                  )}
                  <span className="min-w-0 flex-1 font-mono wrap-anywhere">{path}</span>
                  {branch !== undefined && <Branch name={branch} />}
                </span>
              )}
            </Listbox>
          </div>
          <RecentDirectories directories={recent.filter((path) => path !== typed)} onChoose={onChange} />
        </>
      )}
    </Field>
  );

  function hint() {
    if (known === undefined) return undefined;
    if (known.error !== null) return errorText(t, known.error);
    const { path, isRepository, branch } = known.value?.typed ?? {};
    const checkedOut =
      branch !== undefined ? t('new.branch', { branch }) : isRepository ? t('new.noBranch') : undefined;
    const place =
      typed === '' && path !== undefined
        ? t(machine === '' ? 'new.startedIn' : 'machine.home', { path })
        : undefined;
    const words = [place, checkedOut].filter((each) => each !== undefined);
    return words.length === 0 ? undefined : words.join(' · ');
  }
}

/** Of an answer to what stood there before, what still begins with what stands there now. */
const beginningWith = ({ directories }: DirectoryCompletion, typed: string): DirectoryCompletion => ({
  directories: directories.filter(({ path }) => path.toLowerCase().startsWith(typed.toLowerCase())),
  isAll: false,
});

/** What was used before and has this in it, then what is there and begins so. */
function offered(
  recent: readonly string[],
  found: readonly DirectoryChoice[],
  typed: string,
): readonly Offered[] {
  const wanted = typed.toLowerCase();
  const used = recent
    .filter((path) => path !== typed && path.toLowerCase().includes(wanted))
    .slice(0, 5)
    .map((path) => ({
      branch: undefined,
      ...found.find((each) => each.path === path),
      path,
      isRecent: true,
    }));
  const others = found.filter(({ path }) => path !== typed && !used.some((each) => each.path === path));
  return [...used, ...others.map(({ path, branch }) => ({ path, branch, isRecent: false }))];
}

const Branch = ({ name }: { readonly name: string }) => (
  <span className="flex max-w-[40%] shrink-0 items-center gap-1 text-faint text-xs">
    <GitBranch aria-hidden className="size-3 shrink-0" />
    <span className="truncate">{name}</span>
  </span>
);

function RecentDirectories({
  directories,
  onChoose,
}: {
  readonly directories: readonly string[];
  readonly onChoose: (path: string) => void;
}) {
  const t = useT();
  if (directories.length === 0) return null;
  return (
    <fieldset aria-label={t('new.recent')} className="flex min-w-0 flex-wrap gap-1">
      {directories.slice(0, 3).map((path) => (
        <button
          key={path}
          type="button"
          title={path}
          onClick={() => onChoose(path)}
          className="max-w-full truncate rounded-tight bg-sunken px-1.5 font-mono text-2xs text-soft leading-5 hover:text-ink pointer-coarse:min-h-11 pointer-coarse:px-3"
        >
          {shortDirectory(path)}
        </button>
      ))}
    </fieldset>
  );
}

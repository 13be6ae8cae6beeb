import { Search } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useId, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { readStored, writeStored } from '../data/stored.ts';
import { useT } from '../i18n/i18n.ts';
import { routes } from '../routes.ts';
import { oneLine } from '../text/plain-text.ts';
import { cx } from '../ui/class-names.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Kbd } from '../ui/kbd.tsx';
import { Time } from '../ui/time.tsx';
import { useFocusOnMount } from '../ui/use-focus-on-mount.ts';
import { marked, recentFirst, search, withRecent } from './palette.logic.ts';
import { type Entry, usePaletteEntries } from './palette-entries.tsx';
import { usePaletteSearch } from './palette-search.ts';

interface Option {
  readonly key: string;
  readonly view: ReactNode;
  readonly run: () => void;
}

interface OptionGroup {
  readonly key: string;
  readonly label: string | null;
  readonly options: readonly Option[];
}

/** Go anywhere, do anything by its name, and find what was said. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const t = useT();
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const listId = useId();
  const field = useFocusOnMount<HTMLInputElement>();
  const { groups, isSearching, hasFailed } = useGroups(query, onClose);
  const options = groups.flatMap((group) => group.options);
  const chosen = Math.min(at, options.length - 1);

  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) setAt((chosen + step + options.length) % Math.max(1, options.length));
    else if (event.key === 'Enter' && !event.nativeEvent.isComposing) options[chosen]?.run();
    else return;
    event.preventDefault();
  };

  return (
    <Dialog title={t('frame.palette')} isTitleHidden onClose={onClose} size="lg">
      <input
        role="combobox"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={options[chosen] === undefined ? undefined : `${listId}-${chosen}`}
        aria-label={t('frame.palette')}
        ref={field}
        value={query}
        spellCheck={false}
        autoComplete="off"
        placeholder={t('palette.hint')}
        onChange={(event) => {
          setQuery(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
        className="sticky top-0 h-12 w-full border-line border-b bg-raised px-4 text-lg outline-none"
      />
      <div
        id={listId}
        role="listbox"
        aria-label={t('frame.palette')}
        className="max-h-[55vh] min-h-24 overflow-y-auto p-1.5"
      >
        {groups.map(({ key, label, options: own }) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options, which no element of a form is
          <div key={key} role="group" aria-label={label ?? t('frame.palette')}>
            {label !== null && (
              <div aria-hidden className="truncate px-2.5 pt-2 pb-1 font-medium text-faint text-xs">
                {label}
              </div>
            )}
            {own.map((option) => {
              const index = options.indexOf(option);
              return (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are read where one types
                <div
                  key={option.key}
                  id={`${listId}-${index}`}
                  role="option"
                  tabIndex={-1}
                  aria-selected={index === chosen}
                  ref={
                    index === chosen ? (element) => element?.scrollIntoView({ block: 'nearest' }) : undefined
                  }
                  onPointerMove={() => setAt(index)}
                  onClick={option.run}
                  className={cx(
                    'flex min-h-9 cursor-pointer items-center gap-2.5 rounded-tight px-2.5 pointer-coarse:min-h-11',
                    index === chosen && 'bg-hover',
                  )}
                >
                  {option.view}
                </div>
              );
            })}
          </div>
        ))}
      </div>
      <p role="status" className="px-4 text-center text-faint text-sm empty:hidden not-empty:pb-3">
        {isSearching
          ? t('palette.searching')
          : hasFailed
            ? t('palette.searchFailed')
            : options.length === 0
              ? t('palette.nothing')
              : ''}
      </p>
    </Dialog>
  );
}

/** What has the words in its name, then what was said and done, by session. */
function useGroups(
  query: string,
  onClose: () => void,
): { readonly groups: readonly OptionGroup[]; readonly isSearching: boolean; readonly hasFailed: boolean } {
  const t = useT();
  const [, navigate] = useLocation();
  const entries = usePaletteEntries();
  const { found, query: asked, isSearching, hasFailed } = usePaletteSearch(query);
  const named = useMemo(() => {
    const shown =
      query.trim() === ''
        ? recentFirst(entries, recentKeys()).slice(0, mostUnasked)
        : search(entries, query, 8);
    return shown.map((entry) => ({
      key: entry.key,
      view: <EntryView entry={entry} />,
      run: () => {
        writeStored('palette', withRecent(recentKeys(), entry.key).join(' '));
        onClose();
        entry.run();
      },
    }));
  }, [entries, query, onClose]);
  const hits = useMemo(
    () =>
      found.map(({ sessionId, title, hits: own }) => ({
        key: `found-${sessionId}`,
        label: title === '' ? t('palette.found') : title,
        options: own.map((hit) => ({
          key: `${sessionId}-${hit.seq}`,
          view: <HitView excerpt={hit.excerpt} at={hit.at} query={asked} />,
          run: () => {
            onClose();
            navigate(routes.place(sessionId, hit.seq));
          },
        })),
      })),
    [found, asked, t, onClose, navigate],
  );
  const groups = [...(named.length === 0 ? [] : [{ key: 'named', label: null, options: named }]), ...hits];
  return { groups, isSearching, hasFailed };
}

function EntryView({ entry: { mark, label, note, keys } }: { readonly entry: Entry }) {
  return (
    <>
      {mark}
      <span className="min-w-0 flex-1 truncate">{label}</span>
      {note !== undefined && (
        <span className="min-w-0 max-w-1/2 shrink-0 truncate text-faint text-xs max-sm:hidden">{note}</span>
      )}
      {keys !== undefined && <Kbd keys={keys} />}
    </>
  );
}

function HitView({
  excerpt,
  at,
  query,
}: {
  readonly excerpt: string;
  readonly at: string;
  readonly query: string;
}) {
  return (
    <>
      <Search aria-hidden className="size-3.5 shrink-0 text-faint" />
      <span className="min-w-0 flex-1 truncate text-soft text-sm">
        {marked(oneLine(excerpt), query).map(({ text, isHit }, index) =>
          isHit ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a line have no other name than their place
            <mark key={index} className="bg-transparent font-semibold text-ink">
              {text}
            </mark>
          ) : (
            text
          ),
        )}
      </span>
      <Time at={at} className="shrink-0 text-faint text-xs" />
    </>
  );
}

/** More than anyone reads; the rest is found by its words. */
const mostUnasked = 60;

const recentKeys = (): readonly string[] => (readStored('palette') ?? '').split(' ').filter(Boolean);

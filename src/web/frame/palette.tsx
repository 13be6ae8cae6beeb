import { Search } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { readStored, writeStored } from '../data/stored.ts';
import { useT } from '../i18n/i18n.ts';
import { routes } from '../routes.ts';
import { oneLine } from '../text/plain-text.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Kbd } from '../ui/kbd.tsx';
import { Listbox, useListbox } from '../ui/listbox.tsx';
import { Time } from '../ui/time.tsx';
import { useFocusOnMount } from '../ui/use-focus-on-mount.ts';
import { marked, recentFirst, search, withRecent } from './palette.logic.ts';
import { type Entry, usePaletteEntries } from './palette-entries.tsx';
import { usePaletteSearch } from './palette-search.ts';

interface Option {
  readonly key: string;
  /** The session in which it was said. */
  readonly group?: string;
  readonly view: () => ReactNode;
  readonly run: () => void;
}

/** Go anywhere, do anything by its name, and find what was said. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const t = useT();
  const [query, setQuery] = useState('');
  const field = useFocusOnMount<HTMLInputElement>();
  const { options, isSearching, hasFailed } = useOptions(query);
  const list = useListbox({
    sought: query,
    options,
    isOpen: true,
    isSearch: true,
    onPick: ({ run }) => {
      onClose();
      run();
    },
  });

  return (
    <Dialog title={t('frame.palette')} isTitleHidden onClose={onClose} size="lg">
      <input
        {...list.fieldProps}
        aria-label={t('frame.palette')}
        ref={field}
        value={query}
        spellCheck={false}
        autoComplete="off"
        placeholder={t('palette.hint')}
        onChange={(event) => setQuery(event.target.value)}
        onKeyDown={list.pressed}
        className="sticky top-0 h-12 w-full border-line border-b bg-raised px-4 text-lg outline-none"
      />
      <div className="min-h-24">
        <Listbox
          list={list}
          label={t('frame.palette')}
          keyOf={({ key }) => key}
          groupOf={({ group }) => group}
          placement="inline"
          className="max-h-[55vh] p-1.5"
        >
          {({ view }) => <span className="flex min-h-6 min-w-0 items-center gap-2.5">{view()}</span>}
        </Listbox>
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

/** How many names are shown before what was said. */
const mostNamed = 8;

/** What has the words in its name, then what was said and done, by session. */
function useOptions(query: string) {
  const t = useT();
  const [, navigate] = useLocation();
  const entries = usePaletteEntries();
  const { found, query: asked, isSearching, hasFailed } = usePaletteSearch(query);
  const named = useMemo((): readonly Option[] => {
    const shown =
      query.trim() === '' ? recentFirst(entries, recentKeys()) : search(entries, query, mostNamed);
    return shown.map((entry) => ({
      key: entry.key,
      view: () => <EntryView entry={entry} />,
      run: () => {
        writeStored('palette', withRecent(recentKeys(), entry.key).join(' '));
        entry.run();
      },
    }));
  }, [entries, query]);
  const hits = useMemo(
    (): readonly Option[] =>
      found.flatMap(({ sessionId, title, hits: own }) =>
        own.map(({ seq, excerpt, at }) => ({
          key: `${sessionId}-${seq}`,
          group: title === '' ? t('palette.found') : title,
          view: () => <HitView excerpt={excerpt} at={at} query={asked} />,
          run: () => navigate(routes.place(sessionId, seq)),
        })),
      ),
    [found, asked, t, navigate],
  );
  return { options: [...named, ...hits], isSearching, hasFailed };
}

function EntryView({ entry: { mark, label, note, shortcut } }: { readonly entry: Entry }) {
  return (
    <>
      {mark}
      <span className="min-w-0 flex-1 truncate">{label}</span>
      {note !== undefined && (
        <span className="min-w-0 max-w-1/2 shrink-0 truncate text-faint text-xs max-sm:hidden">{note}</span>
      )}
      {shortcut !== undefined && <Kbd shortcut={shortcut} />}
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

const recentKeys = (): readonly string[] => (readStored('palette') ?? '').split(' ').filter(Boolean);

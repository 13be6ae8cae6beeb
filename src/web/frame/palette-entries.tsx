import {
  ChartColumn,
  CircleHelp,
  FileDiff,
  Languages,
  type LucideIcon,
  Monitor,
  Moon,
  OctagonX,
  Pause,
  Pencil,
  Plus,
  RotateCcw,
  Sun,
} from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { useLocation, useRoute } from 'wouter';
import type { Session } from '../../protocol/session.ts';
import { languages, setPreferences, themes } from '../data/preferences.ts';
import { sessionNamed } from '../data/room.logic.ts';
import { useRoom, useTransport } from '../data/room-context.tsx';
import { chooseLanguage, type Translate, useT } from '../i18n/i18n.ts';
import { routes, sessionIn, sessionPattern } from '../routes.ts';
import { shortDirectory, titleOf } from '../session/activity.logic.ts';
import { StatusMark } from '../session/activity-line.tsx';
import { startRenaming } from '../session/editable-title.tsx';
import { groupByNeed } from '../session/need.logic.ts';
import { useSessionActions } from '../session/use-session-actions.ts';
import type { KeyName } from '../ui/keys.ts';
import { openDialog } from './dialogs.ts';
import type { PaletteEntry } from './palette.logic.ts';
import { type Place, places } from './places.ts';

export interface Entry extends PaletteEntry {
  readonly mark: ReactNode;
  readonly note?: string;
  readonly shortcut?: KeyName | undefined;
  readonly run: () => void;
}

/** Everything that can be gone to or done by its name: what is near at hand first. */
export function usePaletteEntries(): readonly Entry[] {
  const t = useT();
  const [, navigate] = useLocation();
  const sessions = useRoom((room) => room.sessions);
  const current = useCurrentEntries();
  return useMemo(() => {
    const all = groupByNeed(Object.values(sessions)).flatMap(({ need, sessions: group }) =>
      group.map((session) => ({
        key: session.id,
        label: titleOf(session),
        words: `${session.cwd} ${session.agent} ${session.key ?? ''} ${session.labels.join(' ')}`,
        mark: <StatusMark status={session.status} />,
        note: `${shortDirectory(session.cwd)} · ${t(session.archived ? 'life.archived' : `need.${need}`)}`,
        run: () => navigate(routes.session(session.id)),
      })),
    );
    const isWaiting = ({ key }: Entry): boolean => sessions[key]?.status === 'waiting';
    const isArchived = ({ key }: Entry): boolean => sessions[key]?.archived === true;
    const goTo = Object.values<Place>(places).map(({ href, label, icon, shortcut }) => ({
      key: href,
      label: t(label),
      words: t('palette.go'),
      mark: <Icon icon={icon} />,
      shortcut,
      run: () => navigate(href),
    }));
    const insights: Entry = {
      key: routes.insights,
      label: t('palette.insights'),
      words: t('palette.go'),
      mark: <Icon icon={ChartColumn} />,
      run: () => navigate(routes.insights),
    };
    return [
      ...all.filter(isWaiting),
      ...current,
      newSession(t),
      ...goTo,
      insights,
      ...all.filter((entry) => !isWaiting(entry) && !isArchived(entry)),
      ...looks(t),
      ...all.filter(isArchived),
    ];
  }, [t, navigate, sessions, current]);
}

/** What can be done to the session whose page is open. */
function useCurrentEntries(): readonly Entry[] {
  const [, params] = useRoute(sessionPattern);
  const [, navigate] = useLocation();
  const session = useRoom((room) =>
    params === null ? undefined : sessionNamed(room, sessionIn(params.id ?? '')),
  );
  const transport = useTransport();
  const t = useT();
  const { canInterrupt, canStop, canResume, interrupt, stop, resume } = useSessionActions(
    session ?? nowhere,
    transport,
  );
  return useMemo(() => {
    if (session === undefined) return [];
    const note = titleOf(session);
    const act = (key: string, label: string, icon: LucideIcon, run: () => void): Entry => ({
      key: `act-${key}`,
      label,
      note,
      mark: <Icon icon={icon} />,
      run,
    });
    return [
      ...(canInterrupt ? [act('interrupt', t('session.interrupt'), Pause, interrupt)] : []),
      ...(canResume ? [act('resume', t('session.resume'), RotateCcw, resume)] : []),
      act('changes', t('palette.changes'), FileDiff, () =>
        navigate(`${routes.session(session.id)}${routes.changesIn}`),
      ),
      act('rename', t('palette.rename'), Pencil, () => startRenaming(session.id, 'header')),
      ...(canStop ? [act('stop', t('session.stop'), OctagonX, stop)] : []),
    ];
  }, [session, t, navigate, canInterrupt, canStop, canResume, interrupt, stop, resume]);
}

const nowhere: Pick<Session, 'id' | 'status' | 'capabilities'> = {
  id: '' as Session['id'],
  status: 'stopped',
  capabilities: null,
};

const newSession = (t: Translate): Entry => ({
  key: 'new',
  label: t('control.new'),
  mark: <Icon icon={Plus} />,
  shortcut: 'everywhere.new-session',
  run: () => openDialog({ is: 'new-session' }),
});

const themeIcons = { system: Monitor, light: Sun, dark: Moon } as const;

const looks = (t: Translate): readonly Entry[] => [
  ...themes.map((theme) => ({
    key: `theme-${theme}`,
    label: t(`palette.${theme}`),
    mark: <Icon icon={themeIcons[theme]} />,
    run: () => setPreferences({ theme }),
  })),
  ...languages
    .filter((language) => language !== t.language)
    .map((language) => ({
      key: `language-${language}`,
      label: t(`palette.${language}`),
      words: t('settings.language'),
      mark: <Icon icon={Languages} />,
      run: () => void chooseLanguage(language),
    })),
  {
    key: 'help',
    label: t('help.title'),
    mark: <Icon icon={CircleHelp} />,
    shortcut: 'everywhere.help',
    run: () => openDialog({ is: 'help' }),
  },
];

const Icon = ({ icon: Glyph }: { readonly icon: LucideIcon }) => (
  <Glyph aria-hidden className="size-3.5 shrink-0 text-faint" />
);

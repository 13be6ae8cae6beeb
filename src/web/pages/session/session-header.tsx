import {
  Archive,
  Bell,
  BellOff,
  ChevronDown,
  ChevronUp,
  FileDiff,
  MessageSquareQuote,
  OctagonX,
  PanelRight,
  Pause,
  Pencil,
  RotateCcw,
} from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { isMuted } from '../../../model/muted.ts';
import type { Session } from '../../../protocol/session.ts';
import type { Totals } from '../../changes/changes.logic.ts';
import { ChangeCount } from '../../changes/file-signs.tsx';
import type { Conversation } from '../../conversation/conversation.logic.ts';
import { useTransport } from '../../data/room-context.tsx';
import { useAgents } from '../../data/use-agents.ts';
import { type Translate, useT } from '../../i18n/i18n.ts';
import { MachineFact } from '../../machines/machine-away.tsx';
import { shortDirectory, titleOf } from '../../session/activity.logic.ts';
import { ActivityLine } from '../../session/activity-line.tsx';
import { EditableTitle, startRenaming } from '../../session/editable-title.tsx';
import { allTokens, money, shortCount } from '../../session/figures.logic.ts';
import { TrustNote } from '../../session/lazy-trust.tsx';
import { modeLabel } from '../../session/mode-label.ts';
import { SessionMenu } from '../../session/session-menu.tsx';
import { useSessionActions } from '../../session/use-session-actions.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { spokenKeys } from '../../ui/keys.ts';
import type { MenuItem } from '../../ui/menu.tsx';
import { SetupNote, WorktreeFact } from '../../worktrees/worktree-fact.tsx';
import { SettingMenu } from './setting-menu.tsx';

interface SessionHeaderProps {
  readonly session: Session;
  readonly conversation: Conversation | undefined;
  /** The conversation stays the same object; its shape tells that it changed. */
  readonly shape: number;
  readonly areDetailsShown: boolean;
  readonly onDetails: () => void;
  /** What changed in the files; null as long as that is not known. */
  readonly changed: Totals | null;
  readonly areChangesShown: boolean;
  readonly onChanges: () => void;
  /** Goes to what waits for a person. */
  readonly onBell: () => void;
  /** To one's own message before or after what is in view. */
  readonly onJump: (step: -1 | 1) => void;
}

/** What the session is, what it does, and what can be done to it. */
export const SessionHeader = memo(function SessionHeader({
  session,
  conversation,
  areDetailsShown,
  onDetails,
  changed,
  areChangesShown,
  onChanges,
  onBell,
  onJump,
}: SessionHeaderProps) {
  const t = useT();
  const { interrupt, stop, resume, canInterrupt, canStop } = useSessionActions(session, useTransport());
  const details: MenuItem = {
    key: 'details',
    label: t('header.details'),
    icon: PanelRight,
    onSelect: onDetails,
  };
  return (
    <header className="@container flex shrink-0 flex-col gap-0.5 border-line border-b bg-surface px-4 py-2 max-md:px-3">
      <div className="flex min-h-8 min-w-0 items-center gap-2">
        <Title session={session} />
        {canInterrupt && (
          <Button icon={Pause} disabled={session.interrupting !== null} onClick={interrupt}>
            <span className="max-md:sr-only">{t('session.interrupt')}</span>
          </Button>
        )}
        {session.status === 'asleep' && (
          <Button icon={RotateCcw} onClick={resume}>
            <span className="max-md:sr-only">{t('session.resume')}</span>
          </Button>
        )}
        {session.pendingCount > 0 && <BellButton count={session.pendingCount} onPress={onBell} />}
        <MessageJumps onJump={onJump} />
        <ChangesButton
          changed={changed}
          unsent={session.review?.comments ?? 0}
          isPressed={areChangesShown}
          onPress={onChanges}
        />
        <IconButton
          icon={PanelRight}
          label={t('header.details')}
          aria-pressed={areDetailsShown}
          onClick={onDetails}
          className={cx('max-md:hidden', areDetailsShown && 'bg-hover text-ink')}
        />
        {canStop && (
          <Button variant="danger" icon={OctagonX} onClick={stop} className="max-md:hidden">
            <span className="@max-xl:sr-only">{t('session.stop')}</span>
          </Button>
        )}
        <SessionMenu session={session} place="header" first={[details]} />
      </div>
      <div className="flex min-w-0 items-center gap-x-3 gap-y-0.5 max-md:flex-wrap">
        <div className="min-w-24">
          <ActivityLine session={session} conversation={conversation} />
        </div>
        <Facts session={session} />
      </div>
      <SetupNote session={session} />
      <TrustNote session={session} as="bar" />
    </header>
  );
});

/** To what changed in the files, with how much that is. */
function ChangesButton({
  changed,
  unsent,
  isPressed,
  onPress,
}: {
  readonly changed: Totals | null;
  /** How many comments on them wait to be sent. */
  readonly unsent: number;
  readonly isPressed: boolean;
  readonly onPress: () => void;
}) {
  const t = useT();
  return (
    <Button
      data-changes
      variant="ghost"
      icon={FileDiff}
      title={t('changes.open')}
      aria-pressed={isPressed}
      aria-keyshortcuts={spokenKeys('session.changes')}
      onClick={onPress}
      className={cx('shrink-0 px-2 max-md:px-0 max-md:min-w-11', isPressed && 'bg-hover text-ink')}
    >
      <span className="max-lg:sr-only">{t('changes.title')}</span>
      {/* The changes themselves say it where they are shown. */}
      {!isPressed && changed !== null && changed.files > 0 && (
        <span className="flex max-md:sr-only">
          <ChangeCount file={changed} />
        </span>
      )}
      {unsent > 0 && (
        <span title={t('review.unsent', { count: unsent })} className="flex">
          <span className="sr-only">{t('review.unsent', { count: unsent })}</span>
          <span aria-hidden className="flex">
            <Badge>
              <MessageSquareQuote className="size-3" />
              {unsent}
            </Badge>
          </span>
        </span>
      )}
    </Button>
  );
}

/** From one message of one's own to the next. */
function MessageJumps({ onJump }: Pick<SessionHeaderProps, 'onJump'>) {
  const t = useT();
  return (
    // Beside the changes there is little room; the keys do the same.
    <div className="md:@max-xl:hidden flex shrink-0">
      <IconButton
        icon={ChevronUp}
        label={t('conversation.previousMessage')}
        shortcut="session.message-before"
        onClick={() => onJump(-1)}
      />
      <IconButton
        icon={ChevronDown}
        label={t('conversation.nextMessage')}
        shortcut="session.message-after"
        onClick={() => onJump(1)}
      />
    </div>
  );
}

function Title({ session }: { readonly session: Session }) {
  const t = useT();
  return (
    <EditableTitle session={session} place="header" className="group/title gap-1">
      <h1 className="truncate font-semibold text-lg" title={session.title}>
        {titleOf(session)}
      </h1>
      <IconButton
        icon={Pencil}
        label={t('header.rename')}
        onClick={() => startRenaming(session.id, 'header')}
        // The menu has it, too, where there is little room.
        className="opacity-0 focus-visible:opacity-100 group-hover/title:opacity-100 max-md:hidden pointer-coarse:opacity-100"
      />
      {session.archived && (
        <Badge>
          <Archive aria-hidden className="size-3" />
          {t('life.archived')}
        </Badge>
      )}
      {isMuted(session, Date.now()) && (
        <span
          role="img"
          aria-label={t('header.muted')}
          title={t('header.muted')}
          className="shrink-0 text-faint"
        >
          <BellOff aria-hidden className="size-4" />
        </span>
      )}
    </EditableTitle>
  );
}

function BellButton({ count, onPress }: { readonly count: number; readonly onPress: () => void }) {
  const t = useT();
  return (
    <button
      type="button"
      aria-label={t('header.bell', { count })}
      title={t('header.bell', { count })}
      onClick={onPress}
      className="inline-flex min-h-8 items-center gap-1.5 rounded-ui border border-you-edge bg-you-tint px-2.5 font-semibold text-sm text-you-ink hover:border-you pointer-coarse:min-h-11"
    >
      <Bell aria-hidden className="size-3.5" />
      {count}
    </button>
  );
}

function Facts({ session }: { readonly session: Session }) {
  const t = useT();
  const agents = useAgents();
  const agent = agents?.find(({ name }) => name === session.agent);
  const capabilities = session.capabilities ?? agent?.capabilities;
  const { usage, permissionMode, model } = session;
  return (
    <div className="flex min-w-0 flex-1 items-center gap-1 text-faint text-xs max-md:-ml-1 max-md:max-w-full max-md:flex-none max-md:flex-wrap">
      <MachineFact session={session} />
      {session.worktree === undefined ? (
        <Quiet title={session.cwd}>{shortDirectory(session.cwd)}</Quiet>
      ) : (
        <WorktreeFact session={session} />
      )}
      <Quiet>{[agent?.label ?? session.agent, session.agentVersion].filter(Boolean).join(' ')}</Quiet>
      <SettingMenu
        session={session}
        name={t('header.mode')}
        value={permissionMode}
        shown={permissionMode === null ? t('header.modeDefault') : modeLabel(t, permissionMode, capabilities)}
        choices={(capabilities?.permissionModes ?? []).map((mode) => ({
          value: mode,
          label: modeLabel(t, mode, capabilities),
        }))}
        change={(mode) => ({ permissionMode: mode })}
      />
      <SettingMenu
        session={session}
        name={t('header.model')}
        value={model}
        shown={model === null ? t('header.modelDefault') : labelOf(model, capabilities?.models)}
        choices={capabilities?.setModel === true ? (capabilities.models ?? []) : []}
        change={(chosen) => ({ model: chosen })}
      />
      <span className="flex-1" />
      <span className="shrink-0 max-lg:hidden">{usageText(t, usage)}</span>
    </div>
  );
}

const Quiet = ({ title, children }: { readonly title?: string; readonly children: ReactNode }) => (
  <span title={title} className="min-w-0 max-w-60 truncate px-1 @max-xl:hidden max-md:hidden">
    {children}
  </span>
);

const labelOf = (model: string, models: readonly { value: string; label: string }[] = []): string =>
  models.find(({ value }) => value === model)?.label ?? model;

function usageText(t: Translate, usage: Session['usage']): string {
  const tokens = allTokens(usage);
  const parts = [
    tokens === 0 ? '' : t('turn.tokens', { count: shortCount(tokens, t.language) }),
    usage.costUsd === 0 ? '' : money(usage.costUsd, t.language),
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

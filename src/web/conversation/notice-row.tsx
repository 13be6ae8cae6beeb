import {
  CircleSlash,
  CircleX,
  Info,
  type LucideIcon,
  Moon,
  ShieldCheck,
  ShieldOff,
  TriangleAlert,
  Unplug,
} from 'lucide-react';
import { Suspense } from 'react';
import type { EventOf } from '../../protocol/event.ts';
import { type Translate, useT } from '../i18n/i18n.ts';
import { allTokens, money, shortCount, wholeCount } from '../session/figures.logic.ts';
import { modeLabel } from '../session/mode-label.ts';
import { plainText } from '../text/plain-text.ts';
import { cx } from '../ui/class-names.ts';
import { lazyPart } from '../ui/lazy-part.tsx';
import { exactDuration } from '../ui/time.logic.ts';
import { Disclosure } from './disclosure.tsx';
import {
  type InsertedTextItem,
  isToldLater,
  type NoticeEvent,
  type NoticeItem,
  type TurnEndItem,
} from './row.ts';

const TurnFoot = lazyPart(async () => (await import('../undo/turn-foot.tsx')).TurnFoot);
const ToldLater = lazyPart(async () => (await import('../undo/told-later.tsx')).ToldLater);

/** What happened around the conversation, in one quiet sentence. */
export function NoticeRow({ item: { event } }: { readonly item: NoticeItem }) {
  const t = useT();
  if (isToldLater(event))
    return (
      <Suspense fallback={<div className="min-h-7" />}>
        <ToldLater event={event} />
      </Suspense>
    );
  const { icon: Icon, isBad } = lookOf(event);
  return (
    <p
      className={cx('flex min-h-7 items-start gap-1.5 py-1 text-sm', isBad ? 'text-fail-ink' : 'text-faint')}
    >
      <Icon aria-hidden className="mt-0.75 size-3.5 shrink-0" />
      <span className="min-w-0 wrap-anywhere">
        {noticeText(t, event)}
        {event.type === 'diagnostic' && event.count > 1 && ` (${wholeCount(event.count, t.language)}×)`}
      </span>
    </p>
  );
}

function lookOf(event: NoticeEvent): { readonly icon: LucideIcon; readonly isBad: boolean } {
  switch (event.type) {
    case 'grant.created':
      return { icon: ShieldCheck, isBad: false };
    case 'grant.ended':
      return { icon: ShieldOff, isBad: false };
    case 'session.failed':
    case 'process.exited':
      return { icon: TriangleAlert, isBad: true };
    case 'agent.notice':
      return { icon: event.level === 'info' ? Info : TriangleAlert, isBad: event.level === 'error' };
    case 'diagnostic':
    case 'turn.overdue':
      return { icon: TriangleAlert, isBad: false };
    default:
      return { icon: Info, isBad: false };
  }
}

/** The task that a sub-agent was given: long, and seldom read. */
export function InsertedTextRow({
  name,
  item: { text },
  isOpen,
}: {
  readonly name: string;
  readonly item: InsertedTextItem;
  readonly isOpen: boolean;
}) {
  const t = useT();
  return (
    <>
      <Disclosure name={name} isOpen={isOpen}>
        <Info aria-hidden className="size-3.5 shrink-0" />
        <span className="shrink-0">{t('conversation.prompt')}</span>
        {!isOpen && <span className="min-w-0 truncate italic">{plainText(text.slice(0, 160))}</span>}
      </Disclosure>
      {isOpen && (
        <p className="mt-1 mb-2 whitespace-pre-wrap border-line-strong border-l-2 pl-3 text-sm text-soft wrap-anywhere">
          {plainText(text)}
        </p>
      )}
    </>
  );
}

/** The thin rule after a turn: how long, how much; and one sentence if it did not end well. */
export function TurnEndRow({ item: { end, isRecorded } }: { readonly item: TurnEndItem }) {
  const t = useT();
  const { durationMs, usage, costUsd } = end;
  const figures = [
    durationMs === undefined ? '' : exactDuration(durationMs, t.language),
    usage === undefined || allTokens(usage) === 0
      ? ''
      : t('turn.tokens', { count: shortCount(allTokens(usage), t.language) }),
    costUsd === undefined || costUsd === 0 ? '' : money(costUsd, t.language),
  ].filter((figure) => figure !== '');
  return (
    <div className="flex flex-col gap-2">
      {end.outcome !== 'completed' && <Sentence end={end} />}
      <div
        title={usage === undefined ? undefined : tokensOf(t, usage)}
        className="flex flex-wrap items-center gap-x-3 text-faint text-xs before:h-px before:flex-1 before:bg-line pointer-coarse:min-h-11"
      >
        <Suspense>
          <TurnFoot turnId={end.turnId} isRecorded={isRecorded} />
        </Suspense>
        {figures.join(' · ')}
      </div>
    </div>
  );
}

function Sentence({ end }: { readonly end: TurnEndItem['end'] }) {
  const t = useT();
  const Icon =
    end.outcome === 'failed'
      ? CircleX
      : end.outcome === 'lost'
        ? Unplug
        : end.outcome === 'suspended'
          ? Moon
          : CircleSlash;
  return (
    <p
      className={
        end.outcome === 'interrupted' || end.outcome === 'suspended'
          ? 'flex gap-1.5 text-sm text-soft'
          : 'flex gap-1.5 text-fail-ink text-sm'
      }
    >
      <Icon aria-hidden className="mt-0.75 size-3.5 shrink-0" />
      <span className="min-w-0 whitespace-pre-wrap wrap-anywhere">{turnEndText(t, end)}</span>
    </p>
  );
}

function tokensOf(t: ReturnType<typeof useT>, usage: NonNullable<TurnEndItem['end']['usage']>): string {
  return t('turn.tokensOf', {
    input: usage.inputTokens,
    output: usage.outputTokens,
    cacheRead: usage.cacheReadTokens,
    cacheWrite: usage.cacheWriteTokens,
  });
}

/** What happened, in one plain sentence. */
export function noticeText(t: Translate, event: NoticeEvent): string {
  switch (event.type) {
    case 'agent.notice':
    case 'diagnostic':
      return plainText(event.text);
    case 'grant.created':
      return event.grant.subjectKind === 'any'
        ? t('notice.trustGiven')
        : t('notice.grantCreated', { tool: event.grant.toolName, pattern: event.grant.pattern });
    case 'grant.ended':
      return event.uses === undefined
        ? t('notice.grantEnded')
        : t('notice.trustEnded', { count: event.uses });
    case 'mode.changed':
      return t('notice.mode', { mode: modeLabel(t, event.permissionMode) });
    case 'model.changed':
      return t('notice.model', { model: event.model ?? t('new.agentsChoice') });
    case 'process.exited':
      return t('notice.crashed');
    case 'session.failed':
      return t('notice.failed', { reason: event.reason });
    case 'session.reopened':
      return t('notice.reopened');
    case 'session.stopped':
      return t('notice.stopped');
    case 'turn.interrupting':
      return t('notice.interrupting');
    case 'turn.overdue':
      return t('notice.overdue');
    default:
      return '';
  }
}

export function turnEndText(t: Translate, { outcome, error }: EventOf<'turn.ended'>): string {
  const sentence = t(`turn.${outcome}`);
  return error === undefined || error === '' ? sentence : `${sentence} ${plainText(error)}`;
}

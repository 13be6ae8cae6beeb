import { Info, type LucideIcon, ShieldCheck, ShieldOff, TriangleAlert } from 'lucide-react';
import { useT } from '../i18n/i18n.ts';
import { plainText } from '../text/plain-text.ts';
import { cx } from '../ui/class-names.ts';
import { Disclosure } from './disclosure.tsx';
import { noticeText } from './notice-text.ts';
import type { InsertedTextItem, NoticeEvent, NoticeItem } from './row.ts';

/** What happened around the conversation, in one quiet sentence. */
export function NoticeRow({ item: { event } }: { readonly item: NoticeItem }) {
  const t = useT();
  const { icon: Icon, isBad } = lookOf(event);
  return (
    <p
      className={cx('flex min-h-7 items-start gap-1.5 py-1 text-sm', isBad ? 'text-fail-ink' : 'text-faint')}
    >
      <Icon aria-hidden className="mt-0.75 size-3.5 shrink-0" />
      <span className="min-w-0 wrap-anywhere">
        {noticeText(t, event)}
        {event.type === 'diagnostic' && event.count > 1 && ` (${event.count.toLocaleString(t.language)}×)`}
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

import {
  Bot,
  FilePen,
  FileText,
  FileX,
  Globe,
  ListTodo,
  type LucideIcon,
  MessageCircleQuestion,
  Search,
  SquareTerminal,
  Wrench,
} from 'lucide-react';
import type { ReactNode } from 'react';
import type { CallVerb } from '../../model/tool-call.ts';
import { useT } from '../i18n/i18n.ts';
import { cx } from '../ui/class-names.ts';
import { exactDuration } from '../ui/time.logic.ts';
import type { ToolItem } from './row.ts';
import { type NotMade, toolLine } from './tool-call.logic.ts';

const icons: Readonly<Record<CallVerb, LucideIcon>> = {
  command: SquareTerminal,
  read: FileText,
  edit: FilePen,
  write: FilePen,
  move: FilePen,
  delete: FileX,
  search: Search,
  page: Globe,
  agent: Bot,
  plan: ListTodo,
  todos: ListTodo,
  question: MessageCircleQuestion,
  fields: Wrench,
};

/** Less than this is not worth a figure. */
const worthTellingMs = 1000;

/** A tool call in one line: icon, what, result. */
export function ToolLineView({
  item,
  cwd,
  notMade = null,
  depth = 0,
}: {
  readonly item: ToolItem;
  readonly cwd: string;
  readonly notMade?: NotMade | null;
  readonly depth?: number;
}) {
  return (
    <div className={cx('flex shrink-0 items-center gap-1.5 text-faint text-sm', depth > 0 && 'pl-4')}>
      <ToolLineParts item={item} cwd={cwd} notMade={notMade} />
    </div>
  );
}

/** The parts of the line. What was never made neither ran nor failed. */
export function ToolLineParts({
  item,
  cwd,
  notMade = null,
  isToldOtherwise = false,
  children,
}: {
  readonly item: ToolItem;
  readonly cwd: string;
  readonly notMade?: NotMade | null;
  /** What stands beside it says already that it failed: an exit code. */
  readonly isToldOtherwise?: boolean;
  readonly children?: ReactNode;
}) {
  const t = useT();
  const { verb, state, subject, isCode, change, durationMs } = toolLine(item, cwd);
  const Icon = icons[verb];
  const tone =
    notMade === 'unanswered'
      ? 'text-faint'
      : state === 'running'
        ? 'animate-breathe text-work'
        : state === 'failed'
          ? 'text-fail'
          : 'text-faint';
  const tense = notMade !== null ? 'notMade' : state === 'running' ? 'running' : 'done';
  return (
    <>
      <Icon aria-hidden className={cx('size-3.5 shrink-0', tone)} />
      <span className="min-w-0 truncate">
        {t(`tool.${verb}.${tense}`)}{' '}
        <span className={cx('text-soft', isCode && 'font-mono text-xs')}>{subject}</span>
      </span>
      {change !== null && (
        <span className="shrink-0 font-mono text-xs">
          {change.added > 0 && <span className="text-done-ink">+{change.added}</span>}{' '}
          {change.removed > 0 && <span className="text-fail-ink">−{change.removed}</span>}
        </span>
      )}
      {children}
      {notMade === 'denied' && <span className="shrink-0 text-fail-ink text-xs">{t('tool.denied')}</span>}
      {notMade === null && state === 'failed' && !isToldOtherwise && (
        <span className="shrink-0 text-fail-ink text-xs">{t('tool.failed')}</span>
      )}
      {notMade === null && state === 'unfinished' && (
        <span className="shrink-0 text-xs">{t('tool.unfinished')}</span>
      )}
      {notMade === null && durationMs !== null && durationMs >= worthTellingMs && (
        <span className="shrink-0 text-xs">{exactDuration(durationMs, t.language)}</span>
      )}
    </>
  );
}

import {
  ClipboardList,
  type LucideIcon,
  MessageCircleQuestion,
  ScrollText,
  ShieldQuestionMark,
} from 'lucide-react';
import type { Ref } from 'react';
import { visibleLine } from '../../../model/suspicious-text.ts';
import type { Interaction } from '../../../protocol/interaction.ts';
import { useSession } from '../../data/room-context.tsx';
import { useT } from '../../i18n/i18n.ts';
import { summaryOf } from '../../interaction/ask-body.logic.ts';
import { OutcomeLine } from '../../interaction/outcome-line.tsx';
import { TimeLeft } from '../../interaction/time-left.tsx';
import { useCard } from '../../interaction/use-card.ts';
import { titleOf } from '../../session/activity.logic.ts';
import { oneLine } from '../../text/plain-text.ts';
import { cx } from '../../ui/class-names.ts';
import { type InboxItem, isBatchable } from './inbox.logic.ts';

export interface InboxListProps {
  readonly ref: Ref<HTMLUListElement>;
  readonly items: readonly InboxItem[];
  readonly currentId: string | null;
  readonly marked: ReadonlySet<string>;
  readonly onChoose: (interactionId: string) => void;
  readonly onToggle: (interactionId: string) => void;
}

export function InboxList({ ref, items, currentId, marked, onChoose, onToggle }: InboxListProps) {
  const t = useT();
  return (
    <ul ref={ref} data-inbox aria-label={t('inbox.list')} className="min-h-0 flex-1 overflow-y-auto">
      {items.length === 0 && <li className="p-4 text-center text-faint text-sm">{t('inbox.nothingHere')}</li>}
      {items.map(({ interaction, isLeaving }) => (
        <Row
          key={interaction.interactionId}
          interaction={interaction}
          isLeaving={isLeaving}
          isCurrent={interaction.interactionId === currentId}
          isMarked={marked.has(interaction.interactionId)}
          onChoose={onChoose}
          onToggle={onToggle}
        />
      ))}
    </ul>
  );
}

function Row({
  interaction,
  isLeaving,
  isCurrent,
  isMarked,
  onChoose,
  onToggle,
}: {
  readonly interaction: Interaction;
  readonly isLeaving: boolean;
  readonly isCurrent: boolean;
  readonly isMarked: boolean;
  readonly onChoose: (interactionId: string) => void;
  readonly onToggle: (interactionId: string) => void;
}) {
  const t = useT();
  const session = useSession(interaction.sessionId);
  const { interactionId } = interaction;
  const title = session === undefined ? '' : titleOf(session);
  const Icon = iconOf(interaction);
  return (
    <li
      className={cx(
        'flex border-line border-b transition-colors duration-150',
        isCurrent ? 'bg-hover shadow-[inset_3px_0_0_var(--you)]' : 'hover:bg-hover',
      )}
    >
      {isBatchable(interaction) && !isLeaving ? (
        <label className={mark}>
          <input
            type="checkbox"
            tabIndex={isCurrent ? 0 : -1}
            checked={isMarked}
            aria-label={t('inbox.select', { title })}
            onChange={() => onToggle(interactionId)}
            className="size-4 accent-ink"
          />
        </label>
      ) : (
        <span className={mark}>
          <Icon aria-hidden className="size-4 text-faint" />
        </span>
      )}
      <button
        type="button"
        data-row
        tabIndex={isCurrent ? 0 : -1}
        aria-current={isCurrent}
        onClick={() => onChoose(interactionId)}
        className="flex min-w-0 flex-1 flex-col gap-0.5 py-2.5 pr-3 pl-1.5 text-left outline-offset-[-2px]"
      >
        <span className="flex w-full min-w-0 items-center gap-2">
          <span className="min-w-0 flex-1 truncate font-medium">{title}</span>
          {!isLeaving && <TimeLeft interaction={interaction} />}
        </span>
        {isLeaving ? (
          <Ended interaction={interaction} cwd={session?.cwd ?? ''} />
        ) : (
          <Summary interaction={interaction} cwd={session?.cwd ?? ''} />
        )}
      </button>
    </li>
  );
}

const mark = 'flex w-8 shrink-0 justify-center pt-3 pl-1 pointer-coarse:w-11';

function Ended({ interaction, cwd }: { readonly interaction: Interaction; readonly cwd: string }) {
  const { state } = useCard(interaction);
  const endedBy = state.is === 'submitted' ? state.endedBy : 'unknown';
  return (
    <span className="flex w-full min-w-0 animate-appear">
      <OutcomeLine interaction={interaction} endedBy={endedBy} cwd={cwd} />
    </span>
  );
}

function Summary({ interaction, cwd }: { readonly interaction: Interaction; readonly cwd: string }) {
  const t = useT();
  const summary = summaryOf(interaction, cwd);
  const line = 'line-clamp-2 text-soft text-sm wrap-anywhere';
  switch (summary.is) {
    case 'call':
      return (
        <span className={line}>
          {t(`ask.${summary.verb}`)} <code className="font-mono text-xs">{oneLine(summary.subject)}</code>
        </span>
      );
    case 'tool':
      return (
        <span className={line}>
          {oneLine(summary.text)} <code className="font-mono text-xs">{visibleLine(summary.name)}</code>
        </span>
      );
    case 'plan':
      return <span className={line}>{t('ask.plan')}</span>;
    case 'choice':
      return <span className={line}>{oneLine(summary.question.question)}</span>;
    case 'questions':
      return (
        <span className={line}>{oneLine(summary.questions.map(({ question }) => question).join(' · '))}</span>
      );
    case 'form':
      return <span className={line}>{oneLine(summary.text)}</span>;
  }
}

function iconOf({ kind, plan }: Interaction): LucideIcon {
  switch (kind) {
    case 'approval':
      return plan === undefined ? ShieldQuestionMark : ScrollText;
    case 'question':
      return MessageCircleQuestion;
    case 'form':
      return ClipboardList;
  }
}

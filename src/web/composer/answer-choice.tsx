import { CircleHelp } from 'lucide-react';
import type { Interaction } from '../../protocol/interaction.ts';
import { useT } from '../i18n/i18n.ts';
import { plainText } from '../text/plain-text.ts';
import { cx } from '../ui/class-names.ts';

/** A question is open: what is typed answers it, or is a message. One can choose, and sees which it is. */
export function AnswerChoice({
  question,
  isAnswering,
  hasDraft,
  onChoose,
}: {
  readonly question: Interaction;
  readonly isAnswering: boolean;
  readonly hasDraft: boolean;
  readonly onChoose: (isAnswering: boolean) => void;
}) {
  const t = useT();
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 border-line border-b px-3 py-1.5 text-sm">
      <p
        className={cx(
          'flex min-w-0 flex-1 basis-60 items-center gap-1.5',
          isAnswering ? 'text-you-ink' : 'text-faint',
        )}
      >
        <CircleHelp aria-hidden className="size-4 shrink-0" />
        <span className="min-w-0 truncate">
          {plainText(question.questions?.[0]?.question ?? question.title)}
        </span>
      </p>
      <fieldset
        aria-label={t('composer.purpose')}
        className="flex shrink-0 overflow-hidden rounded-ui border border-line-strong"
      >
        <Choice isChosen={isAnswering} onChoose={() => onChoose(true)}>
          {t('composer.answerIt')}
        </Choice>
        <Choice isChosen={!isAnswering} onChoose={() => onChoose(false)}>
          {t('composer.sayElse')}
        </Choice>
      </fieldset>
      {!isAnswering && hasDraft && (
        <p role="status" className="basis-full text-soft text-xs">
          {t('composer.staysMessage')}
        </p>
      )}
    </div>
  );
}

/** The same where there is little room: the question stands above it. */
export function SmallAnswerChoice({
  isAnswering,
  onChoose,
}: {
  readonly isAnswering: boolean;
  readonly onChoose: (isAnswering: boolean) => void;
}) {
  const t = useT();
  return (
    <button
      type="button"
      aria-pressed={isAnswering}
      aria-label={t('composer.answerIt')}
      title={t(isAnswering ? 'composer.sayElse' : 'composer.answerIt')}
      onClick={() => onChoose(!isAnswering)}
      className={cx(
        'm-0.75 flex min-h-6 shrink-0 items-center gap-1 rounded-tight border px-1.5 font-medium text-xs pointer-coarse:min-h-11',
        isAnswering
          ? 'border-you-edge bg-you-tint text-you-ink'
          : 'border-line-strong text-soft hover:bg-hover',
      )}
    >
      <CircleHelp aria-hidden className="size-3.5" />
      {t(isAnswering ? 'composer.isAnswer' : 'composer.isMessage')}
    </button>
  );
}

const Choice = ({
  isChosen,
  onChoose,
  children,
}: {
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly children: string;
}) => (
  <button
    type="button"
    aria-pressed={isChosen}
    onClick={onChoose}
    className={cx(
      'px-2 py-0.5 font-medium text-xs outline-offset-[-2px] not-first:border-line-strong not-first:border-l pointer-coarse:min-h-11 pointer-coarse:px-3',
      isChosen ? 'bg-ink text-inverse' : 'text-soft hover:bg-hover',
    )}
  >
    {children}
  </button>
);

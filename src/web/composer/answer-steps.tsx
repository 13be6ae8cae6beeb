import { ChevronLeft, ChevronRight, CircleHelp } from 'lucide-react';
import type { RefObject } from 'react';
import { useT } from '../i18n/i18n.ts';
import { cx } from '../ui/class-names.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { questionText } from './composer.logic.ts';
import type { ComposerModel } from './use-composer.ts';

export interface AnswerProps {
  readonly composer: ComposerModel;
  readonly field: RefObject<HTMLTextAreaElement | null>;
}

/** Whether what is typed answers a question, where there is little room: the questions stand above it. */
export function SmallAnswerChoice({ composer, field }: AnswerProps) {
  const t = useT();
  const isAnswering = composer.answers !== null;
  const shown = t(isAnswering ? 'composer.isAnswer' : 'composer.isMessage');
  return (
    <button
      type="button"
      aria-pressed={isAnswering}
      aria-label={`${shown}: ${t('composer.answerIt')}`}
      title={t(isAnswering ? 'composer.sayElse' : 'composer.answerIt')}
      onClick={() => {
        composer.chooseAnswering(!isAnswering);
        field.current?.focus();
      }}
      className={cx(
        'm-0.75 flex min-h-6 shrink-0 items-center gap-1 rounded-tight border px-1.5 font-medium text-xs pointer-coarse:min-h-11',
        isAnswering
          ? 'border-you-edge bg-you-tint text-you-ink'
          : 'border-line-strong text-soft hover:bg-hover',
      )}
    >
      <CircleHelp aria-hidden className="size-3.5" />
      {shown}
    </button>
  );
}

/** Which of several questions is answered, where there is little room. */
export function SmallSteps({ composer, field }: AnswerProps) {
  if (composer.answers === null || composer.step.count < 2) return null;
  return (
    <div className="flex min-w-0 items-center gap-1.5 text-xs text-you-ink">
      <Place composer={composer} />
      <span className="min-w-0 flex-1 truncate">{questionText(composer.answers)}</span>
      <Steps composer={composer} field={field} />
    </div>
  );
}

export function Place({ composer: { step } }: Pick<AnswerProps, 'composer'>) {
  const t = useT();
  if (step.count < 2) return null;
  return (
    <span className="shrink-0 font-medium tabular-nums">
      {t('composer.step', { number: step.index + 1, count: step.count })}
    </span>
  );
}

export function Steps({ composer, field }: AnswerProps) {
  const t = useT();
  const { index, count } = composer.step;
  if (count < 2) return null;
  const go = (step: -1 | 1) => () => {
    composer.goTo(step);
    field.current?.focus();
  };
  return (
    <span className="flex shrink-0">
      <IconButton
        icon={ChevronLeft}
        label={t('composer.previousQuestion')}
        aria-disabled={index === 0 || undefined}
        onClick={go(-1)}
      />
      <IconButton
        icon={ChevronRight}
        label={t('composer.nextQuestion')}
        aria-disabled={index === count - 1 || undefined}
        onClick={go(1)}
      />
    </span>
  );
}

import { CircleHelp } from 'lucide-react';
import { useT } from '../i18n/i18n.ts';
import { plainText } from '../text/plain-text.ts';
import { cx } from '../ui/class-names.ts';
import { type AnswerProps, Place, Steps } from './answer-steps.tsx';
import { questionText } from './composer.logic.ts';

/** A question is open: what is typed answers it, or is a message. One can choose, and sees which it is. */
export function AnswerChoice({ composer, field }: AnswerProps) {
  const t = useT();
  const { question, answers, isEmpty } = composer;
  const choose = (isAnswering: boolean): void => {
    composer.chooseAnswering(isAnswering);
    field.current?.focus();
  };
  if (question === null) return null;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 border-line border-b px-3 py-1.5 text-sm">
      <p
        className={cx(
          'flex min-w-0 flex-1 basis-60 items-center gap-1.5',
          answers !== null ? 'text-you-ink' : 'text-faint',
        )}
      >
        <CircleHelp aria-hidden className="size-4 shrink-0" />
        <Place composer={composer} />
        <span className="min-w-0 truncate">{questionText(question)}</span>
      </p>
      {answers !== null && <Steps composer={composer} field={field} />}
      <fieldset
        aria-label={t('composer.purpose')}
        className="flex shrink-0 overflow-hidden rounded-ui border border-line-strong"
      >
        <Choice isChosen={answers !== null} onChoose={() => choose(true)}>
          {t('composer.answerIt')}
        </Choice>
        <Choice isChosen={answers === null} onChoose={() => choose(false)}>
          {t('composer.sayElse')}
        </Choice>
      </fieldset>
      {answers === null && !isEmpty && (
        <p role="status" className="basis-full text-soft text-xs">
          {t('composer.staysMessage')}
        </p>
      )}
      {answers !== null && <Options composer={composer} field={field} />}
    </div>
  );
}

/** What can be chosen, with the numbers it can be named by; what the text means is marked. */
function Options({ composer, field }: AnswerProps) {
  const t = useT();
  const { options = [], multiSelect = false } = composer.answers?.question ?? {};
  const selected = composer.isEmpty ? [] : (composer.answer?.selected ?? []);
  if (options.length === 0) return null;
  const pick = (label: string): void => {
    const others = selected.filter((each) => each !== label);
    const chosen = selected.includes(label) ? others : [...others, label];
    const words = composer.answer?.other ? [composer.answer.other] : [];
    composer.setDraft(multiSelect ? [...chosen, ...words].join(', ') : label);
    field.current?.focus();
  };
  return (
    <fieldset aria-label={t('composer.options')} className="flex min-w-0 basis-full flex-wrap gap-1">
      {options.map(({ label }, at) => (
        <button
          key={label}
          type="button"
          aria-pressed={selected.includes(label)}
          onClick={() => pick(label)}
          className={cx(
            'flex max-w-full items-baseline gap-1 rounded-tight border px-1.5 py-0.25 text-left text-xs pointer-coarse:min-h-11 pointer-coarse:items-center pointer-coarse:px-3',
            selected.includes(label)
              ? 'border-ink bg-hover text-ink'
              : 'border-line-strong text-soft hover:bg-hover',
          )}
        >
          <span className="text-faint tabular-nums">{at + 1}</span>
          <span className="min-w-0 wrap-anywhere">{plainText(label)}</span>
        </button>
      ))}
    </fieldset>
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

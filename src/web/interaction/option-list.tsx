import { useId, useRef } from 'react';
import type { Question } from '../../protocol/interaction.ts';
import { useT } from '../i18n/i18n.ts';
import { plainText } from '../text/plain-text.ts';
import { cx } from '../ui/class-names.ts';
import { Textarea } from '../ui/field.tsx';
import { answerDraft, questionsOf, withOption, withOther } from './draft.logic.ts';
import type { Card } from './use-card.ts';

/** The options of a question, one or several to be chosen, and always room for another answer. */
export function OptionList({
  card,
  question,
  at,
}: {
  readonly card: Card;
  readonly question: Question;
  readonly at: number;
}) {
  const t = useT();
  const name = useId();
  const other = useRef<HTMLTextAreaElement>(null);
  const questions = questionsOf(card.interaction);
  const { draft } = card;
  const answer = answerDraft(draft, at);
  const type = question.multiSelect ? 'checkbox' : 'radio';
  const setOther = (isOther: boolean): void => {
    card.setDraft(withOther(draft, questions, at, { isOther }));
    if (isOther) other.current?.focus();
  };
  return (
    <div className="flex flex-col gap-1.5">
      {question.options.map(({ label, description }) => (
        <label
          key={label}
          className={cx(
            box,
            'flex cursor-pointer items-start gap-2.5 has-disabled:cursor-not-allowed',
            answer.selected.includes(label) ? chosen : `${unchosen} hover:border-faint`,
          )}
        >
          <input
            type={type}
            name={name}
            checked={answer.selected.includes(label)}
            onChange={() => card.setDraft(withOption(draft, questions, at, label))}
            className={mark}
          />
          <span className="flex min-w-0 flex-col">
            <span className="font-medium wrap-anywhere">{plainText(label)}</span>
            {description !== undefined && description !== '' && (
              <span className="text-faint text-sm wrap-anywhere">{plainText(description)}</span>
            )}
          </span>
        </label>
      ))}
      <div className={cx(box, answer.isOther ? chosen : unchosen)}>
        <label className="flex items-start gap-2.5 pointer-coarse:min-h-6">
          <input
            type={type}
            name={name}
            checked={answer.isOther}
            onChange={(event) => setOther(event.target.checked)}
            className={mark}
          />
          <span className="font-medium">{t('ask.otherOption')}</span>
        </label>
        <div className="pt-1.5 pl-6">
          <Textarea
            ref={other}
            rows={1}
            aria-label={t('ask.otherText', { question: plainText(question.question) })}
            placeholder={t('ask.yourAnswer')}
            value={answer.other}
            onChange={(event) =>
              card.setDraft(withOther(draft, questions, at, { isOther: true, other: event.target.value }))
            }
            className="max-h-40 min-h-8!"
          />
        </div>
      </div>
    </div>
  );
}

const mark = 'mt-0.75 shrink-0 accent-ink outline-none';
const box =
  'rounded-ui border px-3 py-2 transition-colors duration-150 has-[input:focus-visible]:outline-2 has-[input:focus-visible]:outline-ink';
const chosen = 'border-ink bg-hover';
const unchosen = 'border-line-strong';

import { useId, useRef } from 'react';
import type { Question } from '../../protocol/interaction.ts';
import { useT } from '../i18n/i18n.ts';
import { plainText } from '../text/plain-text.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/class-names.ts';
import { Textarea } from '../ui/field.tsx';
import { answerWith, dismiss } from './answers-to.ts';
import { answerDraft, answersOf, isAnswered, questionsOf, withOption, withOther } from './draft.logic.ts';
import { isAnswerable } from './interaction-card.logic.ts';
import { buttonState, type Card, isSubmitKey } from './use-card.ts';

/** One or more questions, all on one page: an answer often depends on the next question. */
export function QuestionCard({ card }: { readonly card: Card }) {
  const t = useT();
  const { interaction, draft } = card;
  const questions = questionsOf(interaction);
  const answers = answersOf(questions, draft);
  const open = questions.filter((question, at) => !isAnswered(question, answerDraft(draft, at))).length;
  const submit = (): void => {
    if (answers === undefined) return;
    card.press('answer', answerWith(interaction, answers));
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the key works from every field in it
    <div
      className="flex flex-col gap-4"
      onKeyDown={(event) => {
        if (!isSubmitKey(event)) return;
        event.preventDefault();
        submit();
      }}
    >
      {questions.map((question, at) => (
        <QuestionFields
          // biome-ignore lint/suspicious/noArrayIndexKey: a question may be asked twice; its place tells it apart
          key={at}
          card={card}
          at={at}
          question={question}
        />
      ))}
      {card.isEnabled && (
        <div className="flex flex-wrap items-center gap-2">
          <Button
            variant="ghost"
            {...buttonState(card, 'dismiss')}
            onClick={() => card.press('dismiss', dismiss(interaction))}
          >
            {t('ask.dismiss')}
          </Button>
          <span className="flex-1" />
          {questions.length > 1 && open > 0 && (
            <span className="text-faint text-xs">{t('ask.unanswered', { count: open })}</span>
          )}
          <Button
            variant="primary"
            {...buttonState(card, 'answer')}
            disabled={answers === undefined || !isAnswerable(card.state)}
            onClick={submit}
          >
            {t('ask.answer')}
          </Button>
        </div>
      )}
    </div>
  );
}

interface QuestionProps {
  readonly card: Card;
  readonly question: Question;
  readonly at: number;
}

function QuestionFields({ card, question, at }: QuestionProps) {
  const t = useT();
  const questions = questionsOf(card.interaction);
  const { draft } = card;
  const isStill = !card.isEnabled || !isAnswerable(card.state);
  const text = plainText(question.question);
  return (
    <fieldset disabled={isStill} className="flex min-w-0 flex-col gap-1.5">
      <legend className="mb-1.5 flex flex-wrap items-baseline gap-x-2 gap-y-0.5 p-0">
        {question.header !== undefined && question.header !== '' && (
          <span className="rounded-tight bg-sunken px-1.5 font-medium text-2xs text-soft leading-4.5">
            {plainText(question.header)}
          </span>
        )}
        <span className="min-w-0 font-medium wrap-anywhere">{text}</span>
        {question.multiSelect && question.options.length > 0 && (
          <span className="text-faint text-xs">{t('ask.several')}</span>
        )}
      </legend>
      {question.options.length === 0 ? (
        <Textarea
          aria-label={text}
          rows={2}
          value={answerDraft(draft, at).other}
          placeholder={t('ask.yourAnswer')}
          onChange={(event) =>
            card.setDraft(withOther(draft, questions, at, { isOther: true, other: event.target.value }))
          }
          className="max-h-60"
        />
      ) : (
        <OptionList card={card} question={question} at={at} />
      )}
    </fieldset>
  );
}

/** The options of a question, one or several to be chosen, and always room for another answer. */
function OptionList({ card, question, at }: QuestionProps) {
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

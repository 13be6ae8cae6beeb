import type { Question } from '../../protocol/interaction.ts';
import { useT } from '../i18n/i18n.ts';
import { plainText } from '../text/plain-text.ts';
import { Button } from '../ui/button.tsx';
import { Textarea } from '../ui/field.tsx';
import { answerWith, dismiss } from './answers-to.ts';
import { answerDraft, answersOf, isAnswered, questionsOf, withOther } from './draft.logic.ts';
import { isAnswerable } from './interaction-card.logic.ts';
import { OptionList } from './option-list.tsx';
import { isSubmitKey } from './submit-key.ts';
import { buttonState, type Card } from './use-card.ts';

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

function QuestionFields({
  card,
  question,
  at,
}: {
  readonly card: Card;
  readonly question: Question;
  readonly at: number;
}) {
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

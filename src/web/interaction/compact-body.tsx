import { type ReactNode, useState } from 'react';
import type { Form, FormField, Interaction } from '../../protocol/interaction.ts';
import type { Session } from '../../protocol/session.ts';
import { openDialog } from '../frame/dialogs.ts';
import { useT } from '../i18n/i18n.ts';
import { plainText } from '../text/plain-text.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/class-names.ts';
import { answerWith } from './answers-to.ts';
import { type AskSummary, type CallBody, callBody, summaryOf } from './ask-body.logic.ts';
import { CallSentence, Rest, ToolCall, WarningLines, whyAsked } from './ask-body.tsx';
import { FormCard } from './form-card.tsx';
import { isAnswerable } from './interaction-card.logic.ts';
import { mostInSelect } from './long-select.tsx';
import { MoreButton, NotShown, ReadBox, ShortText } from './reading.tsx';
import { ToolApproval } from './tool-approval.tsx';
import { buttonState, type Card } from './use-card.ts';

/** What is asked, in the space of a monitor; one choice is answered with one press. */
export function CompactBody({
  card,
  cwd,
  session,
}: {
  readonly card: Card;
  readonly cwd: string;
  readonly session: Session | undefined;
}) {
  const { interaction } = card;
  const summary = summaryOf(interaction, cwd);
  const body = callBody(interaction, cwd);
  const isShort = isShortForm(interaction.form);
  return (
    <>
      <ReadBox className="flex max-h-(--ask) min-h-0 flex-col gap-1.5 data-more:[mask-image:linear-gradient(to_top,transparent,black_2.5rem)]">
        <Summary
          summary={summary}
          interaction={interaction}
          body={body}
          onOpen={() => openDialog({ is: 'interaction', interactionId: interaction.interactionId })}
        />
      </ReadBox>
      {/* Not in the box, where they could be out of view. Where a link leads is said beside the path. */}
      {summary.is === 'call' && (
        <div className="flex shrink-0 flex-col gap-0.5">
          <WarningLines warnings={{ ...body, leadsTo: null }} />
        </div>
      )}
      {interaction.kind === 'approval' && interaction.tool !== undefined ? (
        <ToolApproval card={card} session={session} density="compact" isLarge={false} hasFields={isShort} />
      ) : summary.is === 'form' && isShort ? (
        <FormCard card={card} isCompact />
      ) : (
        card.isEnabled && <QuickAnswers card={card} summary={summary} />
      )}
    </>
  );
}

/** So many lines of a form have room in a small card. */
const mostLines = 4;

/** Whether a form can be filled in where there is little room; what cannot opens large. */
export function isShortForm(form: Form | undefined): boolean {
  const fields = form?.fields ?? [];
  return (
    fields.length > 0 &&
    form?.url === undefined &&
    fields.reduce((sum, field) => sum + linesOf(field), 0) <= mostLines
  );
}

function linesOf({ type, options = [] }: FormField): number {
  switch (type) {
    case 'text':
    case 'number':
    case 'date':
    case 'checkbox':
      return 1;
    case 'select':
      return options.length > mostInSelect ? Number.POSITIVE_INFINITY : 1;
    case 'radio':
      return Math.max(1, options.length);
    case 'multiselect':
      return options.length === 0 ? Number.POSITIVE_INFINITY : options.length;
    case 'textarea':
      return Number.POSITIVE_INFINITY;
  }
}

function Summary({
  summary,
  interaction,
  body,
  onOpen,
}: {
  readonly summary: AskSummary;
  readonly interaction: Interaction;
  readonly body: CallBody;
  readonly onOpen: () => void;
}) {
  const t = useT();
  const why = whyAsked(t, interaction);
  switch (summary.is) {
    case 'call':
      return (
        <>
          <CallSentence interaction={interaction}>{t(`ask.${summary.verb}`)}</CallSentence>
          <div className="flex flex-col rounded-tight bg-sunken px-2 py-1 text-xs">
            {summary.address !== null && <strong className="font-mono">{summary.subject}</strong>}
            <ShortText text={summary.address ?? summary.subject} onOpen={onOpen} />
          </div>
          {otherPaths(body).map((path) => (
            <p key={path} className="font-mono text-xs wrap-anywhere">
              {path}
            </p>
          ))}
          {summary.note !== null && (
            <p className="text-soft text-xs wrap-anywhere">{plainText(summary.note)}</p>
          )}
          {summary.change.length > 0 && <Change lines={summary.change} />}
          {summary.hiddenLines > 0 && (
            <>
              <NotShown />
              <MoreButton onPress={onOpen}>{t('ask.moreLines', { count: summary.hiddenLines })}</MoreButton>
            </>
          )}
          {body.is === 'input' && body.json !== null && !summary.isWhole && (
            <div className="flex flex-col text-soft text-xs">
              <ShortText text={body.json} onOpen={onOpen} />
            </div>
          )}
          {body.is === 'change' && body.edits.some(({ isEverywhere }) => isEverywhere) && (
            <p className="text-soft text-xs">{t('ask.everywhereInFile')}</p>
          )}
          {body.rest.length > 0 && <Rest rest={body.rest} />}
          {why.length > 0 && <p className="text-faint text-xs wrap-anywhere">{why.join(' ')}</p>}
        </>
      );
    case 'plan':
      return (
        <>
          <CallSentence interaction={interaction}>{t('ask.plan')}</CallSentence>
          <p className="whitespace-pre-wrap text-sm text-soft wrap-anywhere">
            {summary.text === '' ? t('ask.noPlan') : summary.text}
          </p>
          {body.rest.length > 0 && <Rest rest={body.rest} />}
        </>
      );
    case 'tool':
      return (
        <>
          <Sentence>{summary.text}</Sentence>
          <ToolCall name={summary.name} given={body.rest} />
        </>
      );
    case 'choice':
      return <Sentence>{plainText(summary.question.question)}</Sentence>;
    case 'questions':
      return (
        <>
          <Sentence>{t('ask.questions', { count: summary.questions.length })}</Sentence>
          <ul className="list-disc pl-5 text-sm text-soft">
            {summary.questions.map(({ question }) => (
              <li key={question}>{plainText(question)}</li>
            ))}
          </ul>
        </>
      );
    case 'form':
      return <Sentence>{summary.text}</Sentence>;
  }
}

/** What a change names beside its first path: where the file goes, and other files. */
const otherPaths = (body: CallBody): string[] =>
  body.is === 'change'
    ? [...new Set([body.to, ...body.edits.map(({ path }) => path)])].filter((path) => path !== null)
    : [];

const Sentence = ({ children }: { readonly children: ReactNode }) => (
  <p className="font-medium text-sm wrap-anywhere">{children}</p>
);

const Change = ({ lines }: { readonly lines: Extract<AskSummary, { is: 'call' }>['change'] }) => (
  <pre className="whitespace-pre-wrap rounded-tight font-mono text-xs leading-4.5 wrap-anywhere">
    {lines.map(({ sign, text }, at) => (
      <div
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of a change have no other name than their place
        key={at}
        className={cx('px-2', sign === '+' ? 'bg-done-tint text-done-ink' : 'bg-fail-tint text-fail-ink')}
      >
        {sign} {text}
      </div>
    ))}
  </pre>
);

function QuickAnswers({ card, summary }: { readonly card: Card; readonly summary: AskSummary }) {
  const t = useT();
  const { interactionId } = card.interaction;
  const [pressed, setPressed] = useState<string | null>(null);
  const openLarge = (): void => openDialog({ is: 'interaction', interactionId });
  switch (summary.is) {
    case 'choice':
      return (
        <div className="mt-auto flex flex-wrap gap-1.5">
          {summary.question.options.map(({ label, description }) => (
            <Button
              key={label}
              size="sm"
              title={description}
              {...buttonState(card, 'answer')}
              isBusy={buttonState(card, 'answer').isBusy && label === pressed}
              onClick={() => {
                setPressed(label);
                card.press('answer', answerWith(card.interaction, [{ selected: [label] }]));
              }}
            >
              <span className="min-w-0 truncate">{plainText(label)}</span>
            </Button>
          ))}
          <Button size="sm" variant="ghost" disabled={!isAnswerable(card.state)} onClick={openLarge}>
            {t('ask.other')}
          </Button>
        </div>
      );
    case 'questions':
    case 'form':
      return (
        <div className="mt-auto flex justify-end">
          <Button size="sm" variant="primary" disabled={!isAnswerable(card.state)} onClick={openLarge}>
            {t('ask.answerLarge')}
          </Button>
        </div>
      );
    case 'call':
    case 'tool':
    case 'plan':
      return null;
  }
}

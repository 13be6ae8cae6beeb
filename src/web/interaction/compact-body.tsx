import { TriangleAlert } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Form, FormField } from '../../protocol/interaction.ts';
import type { Session } from '../../protocol/session.ts';
import { openDialog } from '../frame/dialogs.ts';
import { useT } from '../i18n/i18n.ts';
import { plainText } from '../text/plain-text.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/class-names.ts';
import { ScrollArea } from '../ui/scroll-area.tsx';
import { type CallBody, callBody } from './ask-body.logic.ts';
import { ToolCall } from './ask-body.tsx';
import { type AskSummary, summaryOf } from './ask-summary.logic.ts';
import { FormCard } from './form-card.tsx';
import { isAnswerable } from './interaction-card.logic.ts';
import { mostInSelect } from './long-select.tsx';
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
  const isShort = isShortForm(interaction.form);
  return (
    <>
      {/* What is not seen yet is not left unsaid: the text fades out where it goes on. */}
      <ScrollArea className="flex max-h-(--ask) min-h-0 flex-col gap-1.5 data-more:[mask-image:linear-gradient(to_top,transparent,black_2.5rem)]">
        <Summary summary={summary} reason={interaction.reason} given={callBody(interaction, cwd).rest} />
      </ScrollArea>
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
  reason,
  given,
}: {
  readonly summary: AskSummary;
  readonly reason: string | undefined;
  readonly given: CallBody['rest'];
}) {
  const t = useT();
  switch (summary.is) {
    case 'call':
      return (
        <>
          <Sentence>{t(`ask.${summary.verb}`)}</Sentence>
          <pre className="whitespace-pre-wrap rounded-tight bg-sunken px-2 py-1 font-mono text-xs wrap-anywhere">
            {summary.address === null ? summary.subject : <strong>{summary.subject}</strong>}
            {summary.address !== null && `\n${summary.address}`}
          </pre>
          {summary.warnings.map((warning) => (
            <p
              key={warning}
              className="flex items-center gap-1 font-mono font-semibold text-fail-ink text-xs"
            >
              <TriangleAlert aria-hidden className="size-3.5 shrink-0" />
              {warning}
            </p>
          ))}
          {summary.change.length > 0 && <Change lines={summary.change} />}
          {summary.hiddenLines > 0 && (
            <p className="text-faint text-xs">{t('ask.hiddenLines', { count: summary.hiddenLines })}</p>
          )}
          {reason !== undefined && <p className="text-faint text-xs wrap-anywhere">{plainText(reason)}</p>}
        </>
      );
    case 'plan':
      return (
        <>
          <Sentence>{t('ask.plan')}</Sentence>
          <p className="whitespace-pre-wrap text-sm text-soft wrap-anywhere">
            {summary.text === '' ? t('ask.noPlan') : summary.text}
          </p>
        </>
      );
    case 'tool':
      return (
        <>
          <Sentence>{summary.text}</Sentence>
          <ToolCall name={summary.name} given={given} />
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

const Sentence = ({ children }: { readonly children: ReactNode }) => (
  <p className="font-medium text-sm wrap-anywhere">{children}</p>
);

const Change = ({ lines }: { readonly lines: Extract<AskSummary, { is: 'call' }>['change'] }) => (
  <pre className="overflow-x-auto rounded-tight font-mono text-xs leading-4.5">
    {lines.map(({ sign, text }, at) => (
      <div
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of a change have no other name than their place
        key={at}
        className={cx(
          'min-w-max px-2',
          sign === '+' ? 'bg-done-tint text-done-ink' : 'bg-fail-tint text-fail-ink',
        )}
      >
        {sign} {text}
      </div>
    ))}
  </pre>
);

function QuickAnswers({ card, summary }: { readonly card: Card; readonly summary: AskSummary }) {
  const t = useT();
  const { sessionId, requestId, interactionId } = card.interaction;
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
              disabled={!isAnswerable(card.state)}
              isBusy={buttonState(card, 'answer').isBusy && label === pressed}
              onClick={() => {
                setPressed(label);
                card.press('answer', (transport) =>
                  transport.answer(sessionId, { requestId, answers: [{ selected: [label] }] }),
                );
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

import { CornerDownRight } from 'lucide-react';
import { toolOutputOf } from '../../model/tool-call.ts';
import { useT } from '../i18n/i18n.ts';
import { plainText } from '../text/plain-text.ts';
import { cx } from '../ui/class-names.ts';
import { AskRow } from './ask-row.tsx';
import { useConversationPlace } from './conversation-context.ts';
import { Disclosure } from './disclosure.tsx';
import type { Row, ToolItem } from './row.ts';
import { ToolBody, ToolInput, ToolOutput } from './tool-body.tsx';
import { callIn, notMadeAfter, sinceAllowed } from './tool-call.logic.ts';
import { ToolLineParts } from './tool-line-view.tsx';

/** A tool call: one line that opens to the whole. What a sub-agent did follows as entries of its own. */
export function ToolRow({
  row,
  item,
  isOpen,
}: {
  readonly row: Row;
  readonly item: ToolItem;
  readonly isOpen: boolean;
}) {
  const { cwd, conversation } = useConversationPlace();
  const asked = item.interactionId === null ? undefined : conversation.interaction(item.interactionId);
  const output = toolOutputOf(item.result);
  const exitCode = callIn(item).is === 'command' ? output.exitCode : null;
  // A sub-agent's task often comes again as the first of its own messages.
  const hasBody = !row.children.some((child) => child.item.kind === 'inserted-text');
  const asks = conversation.asksWithin(item.toolCallId);
  const isCutShort = asks.some(wasInterrupted);
  return (
    <>
      <Disclosure name={row.key} isOpen={isOpen}>
        <ToolLineParts
          item={sinceAllowed(isCutShort ? { ...item, isOver: true } : item, asked)}
          cwd={cwd}
          notMade={notMadeAfter(asked)}
          isToldOtherwise={(exitCode ?? 0) !== 0}
        >
          <Figures row={row} item={item} exitCode={exitCode} amount={output.amount} />
        </ToolLineParts>
      </Disclosure>
      {asks.length > 0 ? (
        <Asks asks={asks} item={item} isOpen={isOpen} isCutShort={isCutShort} />
      ) : (
        isOpen && hasBody && <ToolBody item={item} />
      )}
    </>
  );
}

/** Whether a person cut the call short while it asked. One that was left open ended later than its call. */
const wasInterrupted = ({ item }: Row): boolean =>
  item.kind === 'interaction' &&
  item.interaction.outcome === 'interrupted' &&
  item.interaction.leftOpen === undefined;

/**
 * The block of a tool that asks: what went in, what it asked, and below it what came out. What an agent makes up for a call that
 * was cut short speaks to its model, of refused edits: it is shown to whoever opens it.
 */
function Asks({
  asks,
  item,
  isOpen,
  isCutShort,
}: {
  readonly asks: readonly Row[];
  readonly item: ToolItem;
  readonly isOpen: boolean;
  readonly isCutShort: boolean;
}) {
  const hasResult = item.result !== null;
  return (
    <div className="mt-1 mb-1 ml-1.5 flex min-w-0 flex-col gap-2 border-line border-l-2 pl-3 max-md:ml-0 max-md:pl-2">
      {isOpen && <ToolInput item={item} />}
      {asks.map(
        ({ key, item: ask }) =>
          ask.kind === 'interaction' && <AskRow key={key} item={ask} isResultSeen={hasResult} />,
      )}
      {hasResult && (isOpen || !isCutShort) && <ToolResultLine item={item} isOpen={isOpen} />}
    </div>
  );
}

/** What the agent got for it, in short; opened, all of it. */
function ToolResultLine({ item, isOpen }: { readonly item: ToolItem; readonly isOpen: boolean }) {
  const t = useT();
  const text = plainText(item.result?.text ?? '').trim();
  if (isOpen) return <ToolOutput item={item} />;
  if (text === '') return null;
  return (
    <p className="flex min-w-0 items-start gap-1.5 text-faint text-xs">
      <CornerDownRight aria-hidden className="mt-0.25 size-3.5 shrink-0" />
      <span className="sr-only">{t('tool.result')}: </span>
      <span
        className={cx(
          'line-clamp-2 min-w-0 whitespace-pre-line font-mono wrap-anywhere',
          item.result?.isError === true && 'text-fail-ink',
        )}
      >
        {text}
      </span>
    </p>
  );
}

/** What came of it, in a word. */
function Figures({
  row,
  item,
  exitCode,
  amount,
}: {
  readonly row: Row;
  readonly item: ToolItem;
  readonly exitCode: number | null;
  readonly amount: ReturnType<typeof toolOutputOf>['amount'];
}) {
  const t = useT();
  const steps = row.children.filter(isStep).length;
  return (
    <>
      {exitCode !== null && (
        <span className={exitCode === 0 ? 'shrink-0 text-xs' : 'shrink-0 text-fail-ink text-xs'}>
          {t('tool.exit', { code: String(exitCode) })}
        </span>
      )}
      {amount !== null && (
        <span className="shrink-0 text-xs">{t(`tool.${amount.of}`, { count: amount.count })}</span>
      )}
      {item.startsAgent && steps > 0 && (
        <span className="shrink-0 text-xs">{t('tool.steps', { count: steps })}</span>
      )}
    </>
  );
}

/** What a sub-agent did: neither the task that it was given nor what a person was asked about it. */
const isStep = ({ item: { kind } }: Row): boolean => kind !== 'inserted-text' && kind !== 'interaction';

import { useT } from '../i18n/i18n.ts';
import { useConversationPlace } from './conversation-context.ts';
import { Disclosure } from './disclosure.tsx';
import type { Row, ToolItem } from './row.ts';
import { ToolBody } from './tool-body.tsx';
import { amountOf, exitCodeOf } from './tool-detail.logic.ts';
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
  const exitCode = exitCodeOf(item);
  // A sub-agent's task often comes again as the first of its own messages.
  const hasBody = !row.children.some((child) => child.item.kind === 'inserted-text');
  return (
    <>
      <Disclosure name={row.key} isOpen={isOpen}>
        <ToolLineParts
          item={item}
          cwd={cwd}
          isDenied={asked?.outcome === 'denied'}
          isToldOtherwise={(exitCode ?? 0) !== 0}
        >
          <Figures row={row} item={item} exitCode={exitCode} />
        </ToolLineParts>
      </Disclosure>
      {isOpen && hasBody && <ToolBody item={item} />}
    </>
  );
}

/** What came of it, in a word. */
function Figures({
  row,
  item,
  exitCode,
}: {
  readonly row: Row;
  readonly item: ToolItem;
  readonly exitCode: number | null;
}) {
  const t = useT();
  const amount = amountOf(item);
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
      {item.startsAgent && row.children.length > 0 && (
        <span className="shrink-0 text-xs">{t('tool.steps', { count: row.children.length })}</span>
      )}
    </>
  );
}

import { ArrowUp } from 'lucide-react';
import { useRef } from 'react';
import type { Session } from '../../protocol/session.ts';
import { useT } from '../i18n/i18n.ts';
import { cx } from '../ui/class-names.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { SmallAnswerChoice, SmallSteps } from './answer-steps.tsx';
import { PastedChips } from './attachments.tsx';
import { CommandList, useCommandList } from './command-list.tsx';
import { ComposerField } from './composer-field.tsx';
import { OutboxView } from './outbox-view.tsx';
import { wayIcons } from './send-button.tsx';
import { useComposer } from './use-composer.ts';

/** One growing line to say something to a session. Enter sends; at work it queues or interrupts, and Ctrl+Enter does the other. */
export function SmallComposer({ session }: { readonly session: Session }) {
  const t = useT();
  const composer = useComposer(session);
  const field = useRef<HTMLTextAreaElement>(null);
  const commandList = useCommandList(session.id, composer, field);
  const { offer, blocked, answers, became, error } = composer;
  const sends =
    answers !== null
      ? composer.hasMore
        ? 'nextAnswer'
        : 'sendAnswer'
      : offer.enter === 'wake'
        ? 'send'
        : offer.enter;
  return (
    <form
      className="flex flex-col gap-1"
      onSubmit={(event) => {
        event.preventDefault();
        void composer.submit();
      }}
    >
      <OutboxView
        sessionId={session.id}
        isSmall
        canRetry={blocked === null}
        onRetry={(outgoing) => void composer.retry(outgoing)}
      />
      {blocked === null && <SmallSteps composer={composer} field={field} />}
      <PastedChips field={field} pasted={composer.pasted} onIntoField={composer.addToDraft} />
      <div
        className={cx(
          'relative flex items-end gap-1 rounded-ui border bg-surface',
          answers === null
            ? 'border-line-strong focus-within:border-faint'
            : 'border-you-edge focus-within:border-you',
        )}
      >
        <CommandList list={commandList} isSmall />
        {composer.question !== null && blocked === null && (
          <SmallAnswerChoice composer={composer} field={field} />
        )}
        <ComposerField
          session={session}
          composer={composer}
          field={field}
          commandList={commandList}
          className="field-sizing-content max-h-24 min-h-7.5 min-w-0 flex-1 resize-none bg-transparent px-2 py-1.25 text-sm outline-none pointer-coarse:min-h-11 pointer-coarse:py-3 pointer-coarse:text-lg"
        />
        {composer.pictures.length > 0 && (
          <span className="shrink-0 py-1.5 text-faint text-xs">
            {t('composer.pictures', { count: composer.pictures.length })}
          </span>
        )}
        <IconButton
          type="submit"
          icon={sends === 'queue' || sends === 'interrupt' ? wayIcons[sends] : ArrowUp}
          label={t(`composer.${sends}`)}
          disabled={composer.isEmpty || blocked !== null}
          aria-disabled={composer.isSettling || undefined}
          className="m-0.25"
        />
      </div>
      {became !== null && (
        <p role="status" className="text-faint text-xs">
          {t(`composer.became.${became.applied}`)} {became.reason}
        </p>
      )}
      {error !== null && (
        <p role="alert" className="text-fail-ink text-xs">
          {error}
        </p>
      )}
    </form>
  );
}

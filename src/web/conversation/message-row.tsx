import { Brain, ClipboardList, CornerUpLeft, Link } from 'lucide-react';
import { useMemo, useState } from 'react';
import { lineCount, messageParts } from '../../model/pasted-text.ts';
import { pageUrl } from '../data/base-path.ts';
import { useT } from '../i18n/i18n.ts';
import { CopyButton } from '../markdown/copy-button.tsx';
import { Markdown } from '../markdown/markdown.tsx';
import { routes } from '../routes.ts';
import { oneLine, plainText } from '../text/plain-text.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/class-names.ts';
import { useConversationPlace } from './conversation-context.ts';
import { Disclosure } from './disclosure.tsx';
import { Pictures } from './pictures.tsx';
import type { MessageItem, SpokenItem } from './row.ts';
import { SentComments } from './sent-comments.tsx';
import { cutLines, OutputView } from './tool-body.tsx';

const shownLines = 14;

/** What a person said: set apart, quietly. */
export function MessageRow({ item }: { readonly item: MessageItem }) {
  const { text, images, isOnItsWay, at, answers, review } = item;
  const t = useT();
  const [isWhole, setWhole] = useState(false);
  const { typed, pasted } = useMemo(() => messageParts(review?.remark ?? text), [review, text]);
  const whole = plainText(typed).trim();
  const cut = cutLines(whole, isWhole ? Number.POSITIVE_INFINITY : shownLines);
  const exact = at === '' ? undefined : new Date(at).toLocaleString(t.language);
  return (
    <div className="group/said relative flex flex-col items-end gap-1.5">
      {answers !== null && <AnswerTo interactionId={answers} />}
      <Pictures images={images} />
      {whole !== '' && (
        <div
          title={exact}
          className={cx(
            'max-w-[85%] rounded-ui border bg-sunken px-3 dark:bg-hover py-2 leading-5.5',
            isOnItsWay ? 'border-line-strong border-dashed' : 'border-transparent',
          )}
        >
          <span className="sr-only">{t('conversation.you')}: </span>
          <p className="whitespace-pre-wrap wrap-anywhere">{cut.text}</p>
          {(cut.shown < cut.lines || isWhole) && (
            <button
              type="button"
              onClick={() => setWhole(!isWhole)}
              className="mt-1 block text-faint text-xs hover:text-ink pointer-coarse:min-h-11"
            >
              {isWhole ? t('conversation.showLess') : t('conversation.showAll', { count: cut.lines })}
            </button>
          )}
        </div>
      )}
      {pasted.map((each, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: what was said does not change
        <PastedText key={at} text={each} />
      ))}
      {review !== null && <SentComments review={review} />}
      <SaidActions text={plainText(text).trim()} seq={item.seq} className="bottom-0 left-0" />
      {isOnItsWay && <p className="text-faint text-xs">{t('conversation.onItsWay')}</p>}
    </div>
  );
}

/** A long text that went with a message: one line, until it is wanted. */
function PastedText({ text }: { readonly text: string }) {
  const t = useT();
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="flex w-[85%] flex-col items-end gap-1.5">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex max-w-full items-center gap-1.5 rounded-ui border border-line bg-sunken px-2 py-1 text-soft text-xs hover:text-ink dark:bg-hover pointer-coarse:min-h-11"
      >
        <ClipboardList aria-hidden className="size-3.5 shrink-0" />
        {t('pasted.lines', { count: lineCount(text) })}
      </button>
      {isOpen && (
        <div className="w-full overflow-hidden rounded-ui border border-line bg-ground">
          <OutputView text={text} />
        </div>
      )}
    </div>
  );
}

/** That it is the late answer to something that was asked, and the way there. */
function AnswerTo({ interactionId }: { readonly interactionId: string }) {
  const t = useT();
  const { conversation, toAsk } = useConversationPlace();
  const asked = conversation.interaction(interactionId);
  const words = (
    <>
      <CornerUpLeft aria-hidden className="size-3.5 shrink-0" />
      <span className="min-w-0 truncate">
        {asked === undefined
          ? t('conversation.lateAnswer')
          : t('conversation.lateAnswerTo', { title: oneLine(asked.title) })}
      </span>
    </>
  );
  const look = 'flex max-w-[85%] items-center gap-1.5 text-faint text-xs';
  if (asked === undefined) return <p className={look}>{words}</p>;
  return (
    <button
      type="button"
      onClick={() => toAsk(interactionId)}
      className={cx(look, 'hover:text-ink hover:underline pointer-coarse:min-h-11')}
    >
      {words}
    </button>
  );
}

/** More than this at once would hold up the page; nobody reads it in one go. */
const longestText = 120_000;

/** What the agent says, as it says it. */
export function TextRow({ item }: { readonly item: SpokenItem }) {
  const t = useT();
  const [isWhole, setWhole] = useState(false);
  const isCut = !isWhole && !item.isLive && item.text.length > longestText;
  return (
    <div className="group/said relative">
      <Markdown text={isCut ? item.text.slice(0, longestText) : item.text} isLive={item.isLive} />
      {isCut && (
        <Button variant="ghost" size="sm" onClick={() => setWhole(true)}>
          {t('conversation.showAll', { count: item.text.split('\n').length })}
        </Button>
      )}
      {!item.isLive && <SaidActions text={item.text} seq={item.seq} className="-top-1 right-0" />}
    </div>
  );
}

/** To take along what was said, or a link to it. */
function SaidActions({
  text,
  seq,
  className,
}: Pick<SpokenItem, 'text' | 'seq'> & { readonly className: string }) {
  const t = useT();
  const { sessionId } = useConversationPlace();
  const link = pageUrl(routes.place(sessionId, seq ?? 0));
  return (
    <div
      className={cx(
        'absolute flex rounded-ui bg-surface opacity-0 transition-opacity duration-150 focus-within:opacity-100 group-hover/said:opacity-100 pointer-coarse:static pointer-coarse:-my-1 pointer-coarse:opacity-100',
        className,
      )}
    >
      {text !== '' && <CopyButton text={text} label={t('conversation.copyText')} />}
      {seq !== null && <CopyButton text={link} icon={Link} label={t('conversation.copyLink')} />}
    </div>
  );
}

const previewLength = 160;

/** Thinking is one line, before and after: only who wants to read it opens it, and nothing jumps when it ends. */
export function ThinkingRow({
  name,
  item: { text, isLive },
  isOpen,
}: {
  readonly name: string;
  readonly item: SpokenItem;
  readonly isOpen: boolean;
}) {
  const t = useT();
  const preview = isLive ? text.slice(-previewLength) : text.slice(0, previewLength);
  return (
    <>
      <Disclosure name={name} isOpen={isOpen}>
        <Brain aria-hidden className={cx('size-3.5 shrink-0', isLive && 'animate-breathe text-work')} />
        <span className="shrink-0">{t(isLive ? 'conversation.thinking' : 'conversation.thought')}</span>
        {!isOpen && (
          <span className={cx('min-w-0 truncate italic', isLive && '[direction:rtl]')}>
            <bdi>{oneLine(preview)}</bdi>
          </span>
        )}
      </Disclosure>
      {isOpen && (
        <div className="mt-1 mb-2 border-line-strong border-l-2 pl-3 text-soft">
          <Markdown text={text} isLive={isLive} className="text-sm" />
        </div>
      )}
    </>
  );
}

import { CircleSlash, CircleX, Moon, Unplug } from 'lucide-react';
import { useT } from '../i18n/i18n.ts';
import { allTokens, money, shortCount } from '../session/figures.logic.ts';
import { exactDuration } from '../ui/time.logic.ts';
import { turnEndText } from './notice-text.ts';
import type { TurnEndItem } from './row.ts';

/** The thin rule after a turn: how long, how much; and one sentence if it did not end well. */
export function TurnEndRow({ item: { end } }: { readonly item: TurnEndItem }) {
  const t = useT();
  const { durationMs, usage, costUsd } = end;
  const figures = [
    durationMs === undefined ? '' : exactDuration(durationMs),
    usage === undefined || allTokens(usage) === 0
      ? ''
      : t('turn.tokens', { count: shortCount(allTokens(usage), t.language) }),
    costUsd === undefined || costUsd === 0 ? '' : money(costUsd, t.language),
  ].filter((figure) => figure !== '');
  return (
    <div className="flex flex-col gap-2">
      {end.outcome !== 'completed' && <Sentence end={end} />}
      <div
        title={usage === undefined ? undefined : tokensOf(t, usage)}
        className="flex items-center gap-3 text-faint text-xs before:h-px before:flex-1 before:bg-line"
      >
        {figures.join(' · ')}
      </div>
    </div>
  );
}

function Sentence({ end }: { readonly end: TurnEndItem['end'] }) {
  const t = useT();
  const Icon =
    end.outcome === 'failed'
      ? CircleX
      : end.outcome === 'lost'
        ? Unplug
        : end.outcome === 'suspended'
          ? Moon
          : CircleSlash;
  return (
    <p
      className={
        end.outcome === 'interrupted' || end.outcome === 'suspended'
          ? 'flex gap-1.5 text-sm text-soft'
          : 'flex gap-1.5 text-fail-ink text-sm'
      }
    >
      <Icon aria-hidden className="mt-0.75 size-3.5 shrink-0" />
      <span className="min-w-0 whitespace-pre-wrap wrap-anywhere">{turnEndText(t, end)}</span>
    </p>
  );
}

function tokensOf(t: ReturnType<typeof useT>, usage: NonNullable<TurnEndItem['end']['usage']>): string {
  return t('turn.tokensOf', {
    input: usage.inputTokens,
    output: usage.outputTokens,
    cacheRead: usage.cacheReadTokens,
    cacheWrite: usage.cacheWriteTokens,
  });
}

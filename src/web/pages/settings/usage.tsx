import { ChartColumn } from 'lucide-react';
import { useCallback, useState } from 'react';
import type { DayUsage } from '../../../protocol/reply.ts';
import { useTransport } from '../../data/room-context.tsx';
import { useList } from '../../data/use-list.ts';
import { type Translate, useT } from '../../i18n/i18n.ts';
import { shortDirectory } from '../../session/activity.logic.ts';
import { allTokens, money, shortCount, wholeCount } from '../../session/figures.logic.ts';
import { Card } from '../../ui/card.tsx';
import { cx } from '../../ui/class-names.ts';
import { ScrollArea } from '../../ui/scroll-area.tsx';
import { ListCard } from './list-card.tsx';
import { type Dimension, dimensions, lastDays, sumsBy, type UsageSum } from './usage.logic.ts';

const shownDays = 30;
const mostRows = 30;

/** What all sessions took lately: a bar for each day, and the figures by day, agent or project. */
export function UsageOverview() {
  const t = useT();
  const transport = useTransport();
  const [list, again] = useList(useCallback(() => transport.usage({ days: shownDays }), [transport]));
  if (list.is !== 'there' || list.items.length === 0) {
    const none = list.is === 'there' ? { is: 'there' as const, items: [] } : list;
    return (
      <ListCard list={none} icon={ChartColumn} empty={t('settings.noUsage')} onRetry={again}>
        {() => null}
      </ListCard>
    );
  }
  return <Figures days={list.items} />;
}

function Figures({ days }: { readonly days: readonly DayUsage[] }) {
  const t = useT();
  const [dimension, setDimension] = useState<Dimension>('day');
  const sums = sumsBy(dimension, days).slice(0, mostRows);
  return (
    <Card className="flex flex-col gap-3 p-4">
      <Chart days={lastDays(days, shownDays, Date.now())} />
      <fieldset className="flex gap-1">
        <legend className="sr-only">{t('settings.usageBy')}</legend>
        {dimensions.map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={each === dimension}
            onClick={() => setDimension(each)}
            className={cx(
              'min-h-7 rounded-ui px-2.5 text-sm pointer-coarse:min-h-11',
              each === dimension ? 'bg-hover font-medium text-ink' : 'text-soft hover:bg-hover',
            )}
          >
            {t(`settings.usageBy.${each}`)}
          </button>
        ))}
      </fieldset>
      <ScrollArea className="max-h-80">
        <table className="w-full text-sm tabular-nums">
          <thead>
            <tr className="text-faint text-xs">
              <th scope="col" className="py-1 text-left font-normal">
                {t(`settings.usageBy.${dimension}`)}
              </th>
              {[t('details.turns'), t('settings.tokens'), t('details.cost')].map((name) => (
                <th key={name} scope="col" className="py-1 pl-4 text-right font-normal">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sums.map(({ name, usage }) => (
              <tr key={name} className="border-line border-t">
                <th scope="row" title={name} className="py-1 text-left font-normal wrap-anywhere">
                  {nameOf(t, dimension, name)}
                </th>
                <td className="py-1 pl-4 text-right">{wholeCount(usage.turns, t.language)}</td>
                <td className="py-1 pl-4 text-right">{shortCount(allTokens(usage), t.language)}</td>
                <td className="py-1 pl-4 text-right">{money(usage.costUsd, t.language)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollArea>
    </Card>
  );
}

function nameOf(t: Translate, dimension: Dimension, name: string): string {
  switch (dimension) {
    case 'day':
      return dayText(t, name);
    case 'project':
      return shortDirectory(name);
    case 'agent':
      return name;
  }
}

const dayText = (t: Translate, day: string): string =>
  new Date(day).toLocaleDateString(t.language, { dateStyle: 'medium', timeZone: 'UTC' });

const barWidth = 10;
const chartHeight = 72;

/** A bar for each day: its cost, or its tokens where nothing cost anything. The table has the figures for those who do not see it. */
function Chart({ days }: { readonly days: readonly UsageSum[] }) {
  const t = useT();
  const isCost = days.some(({ usage }) => usage.costUsd > 0);
  const amountOf = ({ usage }: UsageSum): number => (isCost ? usage.costUsd : allTokens(usage));
  const textOf = (sum: UsageSum): string =>
    isCost
      ? money(sum.usage.costUsd, t.language)
      : t('turn.tokens', { count: shortCount(allTokens(sum.usage), t.language) });
  const most = Math.max(...days.map(amountOf), Number.MIN_VALUE);
  return (
    <figure className="flex flex-col gap-1">
      <svg
        aria-hidden
        viewBox={`0 0 ${days.length * barWidth} ${chartHeight}`}
        preserveAspectRatio="none"
        className="h-18 w-full border-line border-b text-work"
      >
        {days.map((day, at) => {
          const height = (amountOf(day) / most) * (chartHeight - 2);
          return (
            <rect
              key={day.name}
              x={at * barWidth + 1}
              y={chartHeight - height}
              width={barWidth - 2}
              height={height}
              fill="currentColor"
            >
              <title>{`${dayText(t, day.name)}: ${textOf(day)}`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption className="flex justify-between gap-4 text-faint text-xs">
        <span>{dayText(t, days[0]?.name ?? '')}</span>
        <span>{t(isCost ? 'settings.costPerDay' : 'settings.tokensPerDay')}</span>
        <span>{dayText(t, days.at(-1)?.name ?? '')}</span>
      </figcaption>
    </figure>
  );
}

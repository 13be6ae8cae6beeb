import { ChartColumn } from 'lucide-react';
import { useCallback, useState } from 'react';
import type { DayUsage } from '../../../protocol/reply.ts';
import { useTransport } from '../../data/room-context.tsx';
import { useList } from '../../data/use-list.ts';
import { type Translate, useT } from '../../i18n/i18n.ts';
import { shortDirectory } from '../../session/activity.logic.ts';
import { allTokens, dayText, money, shortCount, wholeCount } from '../../session/figures.logic.ts';
import { Card } from '../../ui/card.tsx';
import { cx } from '../../ui/class-names.ts';
import { BarChart, FigureTable } from '../../ui/figures.tsx';
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
      <FigureTable
        first={t(`settings.usageBy.${dimension}`)}
        names={[t('details.turns'), t('settings.tokens'), t('details.cost')]}
        rows={sums.map(({ name, usage }) => ({
          key: name,
          name: nameOf(t, dimension, name),
          title: name,
          cells: [
            wholeCount(usage.turns, t.language),
            shortCount(allTokens(usage), t.language),
            money(usage.costUsd, t.language),
          ],
        }))}
      />
    </Card>
  );
}

function nameOf(t: Translate, dimension: Dimension, name: string): string {
  switch (dimension) {
    case 'day':
      return dayText(name, t.language);
    case 'project':
      return shortDirectory(name);
    case 'agent':
      return name;
  }
}

/** A bar for each day: its cost, or its tokens where nothing cost anything. */
function Chart({ days }: { readonly days: readonly UsageSum[] }) {
  const t = useT();
  const isCost = days.some(({ usage }) => usage.costUsd > 0);
  const bars = days.map(({ name, usage }) => {
    const tokens = allTokens(usage);
    return {
      key: name,
      name: dayText(name, t.language),
      amount: isCost ? usage.costUsd : tokens,
      cells: [
        isCost
          ? money(usage.costUsd, t.language)
          : t('turn.tokens', { count: shortCount(tokens, t.language) }),
      ],
    };
  });
  return (
    <BarChart
      bars={bars}
      caption={t(isCost ? 'settings.costPerDay' : 'settings.tokensPerDay')}
      describe={({ name, cells }) => `${name}: ${cells[0]}`}
    />
  );
}

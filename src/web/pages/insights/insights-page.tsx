import { ChartColumn } from 'lucide-react';
import { type ReactNode, useCallback, useId, useState } from 'react';
import { Link } from 'wouter';
import type { Insights, Waits } from '../../../protocol/insights.ts';
import { useTransport } from '../../data/room-context.tsx';
import { useList } from '../../data/use-list.ts';
import { PageHeader } from '../../frame/page-header.tsx';
import { type Translate, useT } from '../../i18n/i18n.ts';
import { routes } from '../../routes.ts';
import { shortDirectory } from '../../session/activity.logic.ts';
import { dayText, wholeCount } from '../../session/figures.logic.ts';
import { errorText } from '../../text/error-text.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Select } from '../../ui/field.tsx';
import { type Bar, BarChart, FigureTable } from '../../ui/figures.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { exactDuration } from '../../ui/time.logic.ts';
import { AskedMostTable, DecidedByTable } from './tables.tsx';

const spans = [7, 30, 90] as const;

/** How long agents waited for a person and when, what was asked most, and who decided. */
export function InsightsPage() {
  const t = useT();
  const transport = useTransport();
  const [days, setDays] = useState<number>(30);
  const [project, setProject] = useState('');
  const [read, again] = useList(
    useCallback(async () => {
      const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
      return [await transport.insights({ days, timeZone, ...(project !== '' && { project }) })];
    }, [transport, days, project]),
  );
  const [insights] = read.is === 'there' ? read.items : [];
  return (
    <>
      <PageHeader title={t('palette.insights')} />
      <div className="min-h-0 flex-1 overflow-y-auto px-4 pb-10 max-md:px-3 md:in-data-docked:pb-96">
        <div className="flex max-w-5xl flex-col gap-6">
          <div className="flex flex-wrap items-end gap-3">
            <Choice
              label={t('insights.span')}
              value={String(days)}
              choices={spans.map((span) => [String(span), t('insights.days', { count: span })])}
              onChange={(value) => setDays(Number(value))}
            />
            <Choice
              label={t('filter.project')}
              value={project}
              choices={[
                ['', t('filter.allProjects')],
                ...[...new Set([...(insights?.projects ?? []), ...(project === '' ? [] : [project])])].map(
                  (each) => [each, shortDirectory(each)] as const,
                ),
              ]}
              onChange={setProject}
            />
            <Link href={routes.settings} className="ml-auto text-soft text-sm hover:underline">
              {t('insights.toUsage')}
            </Link>
          </div>
          {read.is === 'failed' ? (
            <Card className="flex flex-wrap items-center justify-between gap-3 p-4">
              <p role="alert" className="text-fail-ink">
                {errorText(t, read.error)}
              </p>
              <Button size="sm" onClick={again}>
                {t('composer.retry')}
              </Button>
            </Card>
          ) : insights === undefined ? (
            <Card aria-busy className="flex flex-col gap-3 p-4">
              <Skeleton className="h-4 w-2/3" />
              <Skeleton className="h-24 w-full" />
            </Card>
          ) : insights.asked === 0 ? (
            <Card className="flex items-start gap-3 p-4 text-soft text-sm">
              <ChartColumn aria-hidden className="mt-0.25 size-4 shrink-0 text-faint" />
              <p>{t('insights.none')}</p>
            </Card>
          ) : (
            <Figures insights={insights} />
          )}
        </div>
      </div>
    </>
  );
}

function Choice({
  label,
  value,
  choices,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly (readonly [value: string, label: string])[];
  readonly onChange: (value: string) => void;
}) {
  const id = useId();
  return (
    <div className="flex min-w-40 max-w-full flex-col gap-1">
      <label htmlFor={id} className="text-faint text-xs">
        {label}
      </label>
      <Select id={id} value={value} onChange={({ target }) => onChange(target.value)}>
        {choices.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </Select>
    </div>
  );
}

function Figures({ insights }: { readonly insights: Insights }) {
  const t = useT();
  const { waits, asked, open, byHour, byDay, byKind } = insights;
  const hours: Bar[] = byHour.map(({ hour, ...figures }) => ({
    key: String(hour),
    name: t('insights.hour', { hour }),
    amount: figures.totalMs,
    cells: waitCells(t, figures),
  }));
  const days: Bar[] = byDay.map(({ day, asked: count, ...figures }) => ({
    key: day,
    name: dayText(day, t.language),
    amount: count,
    cells: [wholeCount(count, t.language), ...waitCells(t, figures)],
  }));
  const waitNames = [t('insights.waited'), t('insights.median'), t('insights.p90'), t('insights.total')];
  return (
    <>
      <dl className="grid grid-cols-5 gap-3 max-md:grid-cols-2">
        <Tile name={t('insights.asked')}>{wholeCount(asked, t.language)}</Tile>
        <Tile name={t('insights.open')}>{wholeCount(open, t.language)}</Tile>
        <Tile name={t('insights.medianWait')}>{lengthText(t, waits.medianMs)}</Tile>
        <Tile name={t('insights.p90Wait')}>{lengthText(t, waits.p90Ms)}</Tile>
        <Tile name={t('insights.totalWait')}>{lengthText(t, waits.totalMs)}</Tile>
      </dl>
      <Part title={t('insights.byHour')} text={t('insights.byHourText')}>
        <BarChart
          bars={hours}
          caption={t('insights.totalPerHour')}
          describe={({ name, cells }) => `${name}: ${cells[3]}`}
        />
        <FigureTable isFolded first={t('insights.hourName')} names={waitNames} rows={hours} />
      </Part>
      <Part title={t('insights.byDay')} text={t('insights.byDayText')}>
        <BarChart
          bars={days}
          caption={t('insights.askedPerDay')}
          describe={({ name, cells }) => `${name}: ${cells[0]}`}
        />
        <FigureTable
          isFolded
          first={t('insights.dayName')}
          names={[t('insights.asked'), ...waitNames]}
          rows={days.toReversed()}
        />
      </Part>
      <Part title={t('insights.byKind')} text={t('insights.byKindText')}>
        <FigureTable
          first={t('insights.kindName')}
          names={waitNames}
          rows={byKind.map(({ kind, ...figures }) => ({
            key: kind,
            name: t(`insights.kind.${kind}`),
            amount: figures.totalMs,
            cells: waitCells(t, figures),
          }))}
        />
      </Part>
      <Part title={t('insights.askedMost')} text={t('insights.askedMostText')}>
        <AskedMostTable most={insights.askedMost} />
      </Part>
      <Part title={t('insights.decidedBy')} text={t('insights.decidedByText')}>
        <DecidedByTable deciders={insights.decidedBy} />
      </Part>
    </>
  );
}

const Tile = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <div className="flex flex-col justify-between gap-1 rounded-ui border border-line bg-surface px-4 py-3">
    <dt className="text-faint text-xs">{name}</dt>
    <dd className="font-semibold text-lg tabular-nums">{children}</dd>
  </div>
);

function Part({
  title,
  text,
  children,
}: {
  readonly title: string;
  readonly text: string;
  readonly children: ReactNode;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="flex flex-col gap-2">
      <h2 id={id} className="font-semibold">
        {title}
      </h2>
      <p className="max-w-prose text-faint text-sm">{text}</p>
      <Card className="flex flex-col gap-3 p-4">{children}</Card>
    </section>
  );
}

const waitCells = (t: Translate, { count, medianMs, p90Ms, totalMs }: Waits): string[] => [
  wholeCount(count, t.language),
  lengthText(t, medianMs),
  lengthText(t, p90Ms),
  count === 0 ? '–' : lengthText(t, totalMs),
];

const lengthText = (t: Translate, milliseconds: number | null): string =>
  milliseconds === null ? '–' : exactDuration(milliseconds, t.language);

import { useT } from '../i18n/i18n.ts';
import { ScrollArea } from './scroll-area.tsx';

/** A bar of a chart, and a row of the table with the same figures. */
export interface Bar {
  readonly key: string;
  readonly name: string;
  /** The whole name, where `name` is a short form of it. */
  readonly title?: string;
  readonly amount: number;
  readonly cells: readonly string[];
}

const barWidth = 10;
const chartHeight = 72;

/** A bar for each; the table has the figures for those who do not see it. */
export function BarChart({
  bars,
  caption,
  describe,
}: {
  readonly bars: readonly Bar[];
  readonly caption: string;
  readonly describe: (bar: Bar) => string;
}) {
  const most = Math.max(...bars.map(({ amount }) => amount), Number.MIN_VALUE);
  return (
    <figure className="flex flex-col gap-1">
      <svg
        aria-hidden
        viewBox={`0 0 ${bars.length * barWidth} ${chartHeight}`}
        preserveAspectRatio="none"
        className="h-18 w-full border-line border-b text-work"
      >
        {bars.map((bar, at) => {
          const height = (bar.amount / most) * (chartHeight - 2);
          return (
            <g key={bar.key}>
              {/* All of the column can be pointed at, also where its bar is small. */}
              <path d={`M${at * barWidth} 0h${barWidth}v${chartHeight}h${-barWidth}z`} fill="transparent">
                <title>{describe(bar)}</title>
              </path>
              <rect
                x={at * barWidth + 1}
                y={chartHeight - height}
                width={barWidth - 2}
                height={height}
                fill="currentColor"
                pointerEvents="none"
              />
            </g>
          );
        })}
      </svg>
      <figcaption className="flex justify-between gap-4 text-faint text-xs">
        <span>{bars[0]?.name}</span>
        <span>{caption}</span>
        <span>{bars.at(-1)?.name}</span>
      </figcaption>
    </figure>
  );
}

/** Figures in rows; folded away where a chart stands above. */
export function FigureTable({
  first,
  names,
  rows,
  isFolded = false,
}: {
  readonly first: string;
  readonly names: readonly string[];
  readonly rows: readonly Omit<Bar, 'amount'>[];
  readonly isFolded?: boolean;
}) {
  const t = useT();
  const table = (
    <ScrollArea className="max-h-80">
      <table className="w-full text-sm tabular-nums">
        <thead>
          <tr className="text-faint text-xs">
            <th scope="col" className="py-1 text-left font-normal">
              {first}
            </th>
            {names.map((name) => (
              <th key={name} scope="col" className="py-1 pl-4 text-right max-md:pl-2 font-normal">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, name, title, cells }) => (
            <tr key={key} className="border-line border-t">
              <th scope="row" title={title} className="min-w-24 py-1 text-left font-normal wrap-anywhere">
                {name}
              </th>
              {cells.map((cell, at) => (
                <td key={names[at]} className="py-1 pl-4 text-right max-md:pl-2">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollArea>
  );
  if (!isFolded) return table;
  return (
    <details>
      <summary className="w-fit rounded-tight text-soft text-sm pointer-coarse:py-3">
        {t('insights.asTable')}
      </summary>
      <div className="pt-2">{table}</div>
    </details>
  );
}

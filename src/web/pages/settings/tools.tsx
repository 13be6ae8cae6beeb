import { CircleAlert, Wrench } from 'lucide-react';
import { useCallback } from 'react';
import type { ToolCatalogue } from '../../../protocol/tool.ts';
import { useTransport } from '../../data/room-context.tsx';
import { useList } from '../../data/use-list.ts';
import { useT } from '../../i18n/i18n.ts';
import { plainText } from '../../text/plain-text.ts';
import { Badge } from '../../ui/badge.tsx';
import { ListCard } from './list-card.tsx';

type Row =
  | { readonly id: string; readonly is: 'tool'; readonly tool: ToolCatalogue['tools'][number] }
  | { readonly id: string; readonly is: 'problem'; readonly problem: ToolCatalogue['problems'][number] };

/** The tools that can ask a person, where they come from, and those that could not be loaded, with why. */
export function Tools() {
  const t = useT();
  const transport = useTransport();
  const [list, again] = useList(useCallback(async () => rowsOf(await transport.tools()), [transport]));
  return (
    <ListCard list={list} icon={Wrench} empty={t('settings.noTools')} onRetry={again}>
      {(row) => (row.is === 'tool' ? <Tool tool={row.tool} /> : <Problem problem={row.problem} />)}
    </ListCard>
  );
}

/** What went wrong comes first: it is why one looks here. */
const rowsOf = ({ tools, problems }: ToolCatalogue): Row[] => [
  ...problems.map((problem, at): Row => ({ id: `problem ${at}`, is: 'problem', problem })),
  ...tools.map((tool): Row => ({ id: `tool ${tool.name}`, is: 'tool', tool })),
];

function Tool({ tool }: { readonly tool: ToolCatalogue['tools'][number] }) {
  const t = useT();
  return (
    <>
      <Wrench aria-hidden className="mt-0.5 size-4 shrink-0 self-start text-faint" />
      <div className="flex min-w-0 flex-1 flex-col gap-0.5">
        <p className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
          <span className="font-medium font-mono text-sm wrap-anywhere">{plainText(tool.name)}</span>
          {tool.askFirst && <Badge>{t('settings.askFirst')}</Badge>}
        </p>
        <p className="text-soft text-sm wrap-anywhere">{plainText(tool.description)}</p>
        <p className="font-mono text-faint text-xs wrap-anywhere">
          {tool.source === 'built-in' ? t('settings.builtIn') : plainText(tool.source)}
        </p>
      </div>
    </>
  );
}

function Problem({
  problem: { file, error, tool, line },
}: {
  readonly problem: ToolCatalogue['problems'][number];
}) {
  const t = useT();
  return (
    <>
      <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 self-start text-fail" />
      <div className="flex min-w-0 flex-1 flex-col gap-0.5">
        <p className="text-fail-ink text-sm">
          {tool === undefined
            ? t('settings.fileNotLoaded')
            : t('settings.toolNotLoaded', { tool: plainText(tool) })}
        </p>
        <p className="font-mono text-xs wrap-anywhere">
          {plainText(file)}
          {line !== undefined && `:${line}`}
        </p>
        <p className="whitespace-pre-wrap text-soft text-sm wrap-anywhere">{plainText(error)}</p>
      </div>
    </>
  );
}

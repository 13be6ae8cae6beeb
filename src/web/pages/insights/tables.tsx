import { visibleLine } from '../../../model/suspicious-text.ts';
import type { AskedMost, DecidedBy } from '../../../protocol/insights.ts';
import { type Translate, useT } from '../../i18n/i18n.ts';
import { wholeCount } from '../../session/figures.logic.ts';
import { FigureTable } from '../../ui/figures.tsx';

/** What was asked most, by tool and pattern, and what came of it. */
export function AskedMostTable({ most }: { readonly most: readonly AskedMost[] }) {
  const t = useT();
  if (most.length === 0) return <p className="text-soft text-sm">{t('insights.noApprovals')}</p>;
  return (
    <FigureTable
      first={t('insights.what')}
      names={[t('insights.asked'), t('insights.allowed'), t('insights.denied'), t('insights.byItself')]}
      rows={most.map(({ toolName, pattern, count, allowed, denied, byItself }) => ({
        key: `${toolName} ${pattern}`,
        name: `${toolName} ${visibleLine(pattern)}`,
        cells: [count, allowed, denied, byItself].map((each) => wholeCount(each, t.language)),
      }))}
    />
  );
}

/** Who decided, the most first, with their part of all. */
export function DecidedByTable({ deciders }: { readonly deciders: readonly DecidedBy[] }) {
  const t = useT();
  const all = deciders.reduce((sum, { count }) => sum + count, 0);
  const part = new Intl.NumberFormat(t.language, { style: 'percent', maximumFractionDigits: 0 });
  return (
    <FigureTable
      first={t('insights.who')}
      names={[t('insights.decisions'), t('insights.part')]}
      rows={deciders.map(({ who, name, count }) => ({
        key: `${who} ${name ?? ''}`,
        name: whoText(t, who, name),
        cells: [wholeCount(count, t.language), part.format(all === 0 ? 0 : count / all)],
      }))}
    />
  );
}

function whoText(t: Translate, who: string, name: string | undefined): string {
  switch (who) {
    case 'device':
    case 'terminal':
      return t(`insights.who.${who}`, { name: name ?? '' });
    case 'token':
    case 'library':
    case 'somebody':
    case 'grant':
    case 'trust':
    case 'rule':
    case 'timer':
    case 'agent':
    case 'server':
      return t(`insights.who.${who}`);
    // A newer server knows of others.
    default:
      return name ?? who;
  }
}

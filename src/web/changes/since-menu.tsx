import { ChevronDown } from 'lucide-react';
import { showInvisible } from '../../model/suspicious-text.ts';
import type { SessionChanges } from '../../protocol/changes.ts';
import { type Translate, useT } from '../i18n/i18n.ts';
import { Button } from '../ui/button.tsx';
import { Menu, type MenuItem } from '../ui/menu.tsx';
import { type Asked, sinces } from './changes.logic.ts';

/** What the files are compared with. */
export function SinceMenu({
  asked: { since, turnId },
  turns,
  isDisabled,
  onAsk,
}: {
  readonly asked: Asked;
  readonly turns: SessionChanges['turns'];
  /** What is shown is about to be there, and would take the open menu away. */
  readonly isDisabled: boolean;
  readonly onAsk: (asked: Asked) => void;
}) {
  const t = useT();
  const chosen = turns.find((turn) => turn.turnId === turnId);
  const common = sinces.map(
    (each): MenuItem => ({
      key: each,
      label: t(`changes.since.${each}`),
      isChecked: since === each && turnId === null,
      onSelect: () => onAsk({ since: each, turnId: null }),
    }),
  );
  const each = turns.map((turn): MenuItem => {
    const hint = turnHint(t, turn);
    return {
      key: turn.turnId,
      label: turnTitle(t, turn),
      ...(hint === '' ? {} : { hint }),
      isChecked: turn.turnId === turnId,
      onSelect: () => onAsk({ since: 'turn', turnId: turn.turnId }),
    };
  });
  return (
    <Menu
      align="start"
      trigger={
        <Button size="sm" variant="ghost" disabled={isDisabled} className="min-w-0 shrink">
          <span className="truncate">
            {turnId === null
              ? t(`changes.since.${since}`)
              : t('changes.inTurn', { title: chosen === undefined ? '…' : turnTitle(t, chosen) })}
          </span>
          <ChevronDown aria-hidden className="size-3.5 shrink-0" />
        </Button>
      }
      groups={[common, each]}
    />
  );
}

type Turn = SessionChanges['turns'][number];

const longestTitle = 60;

function turnTitle(t: Translate, { title, startedAt }: Turn): string {
  const text = showInvisible(title ?? '').trim();
  if (text === '') return t('changes.turnAt', { time: timeOf(t, startedAt) });
  return text.length > longestTitle ? `${text.slice(0, longestTitle)}…` : text;
}

const turnHint = (t: Translate, { startedAt, files, title }: Turn): string =>
  [
    title === undefined ? '' : timeOf(t, startedAt),
    files === undefined ? '' : t('changes.fileCount', { count: files }),
  ]
    .filter((part) => part !== '')
    .join(' · ');

const timeOf = (t: Translate, at: string): string =>
  new Date(at).toLocaleString(t.language, { dateStyle: 'medium', timeStyle: 'short' });

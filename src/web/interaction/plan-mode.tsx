import { useId } from 'react';
import type { Session } from '../../protocol/session.ts';
import { useT } from '../i18n/i18n.ts';
import { modeLabel } from '../session/mode-label.ts';
import { Select } from '../ui/field.tsx';
import { modeAfterPlan, modesAfterPlan } from './answers-to.ts';
import { buttonState, type Card } from './use-card.ts';

/** In which mode the plan is to be carried out. */
export function PlanMode({ card, session }: { readonly card: Card; readonly session: Session | undefined }) {
  const t = useT();
  const id = useId();
  const modes = modesAfterPlan(session);
  if (modes.length === 0) return null;
  return (
    <label htmlFor={id} className="flex items-center gap-2 whitespace-nowrap text-sm text-soft max-sm:w-full">
      {t('ask.goOnIn')}
      <span className="w-40 max-sm:min-w-0 max-sm:flex-1">
        <Select
          id={id}
          value={modeAfterPlan(session, card.draft) ?? ''}
          disabled={buttonState(card, 'allow').disabled}
          onChange={(event) => card.setDraft({ mode: event.target.value })}
        >
          {modes.map((mode) => (
            <option key={mode} value={mode}>
              {modeLabel(t, mode)}
            </option>
          ))}
        </Select>
      </span>
    </label>
  );
}

import { useState } from 'react';
import type { AgentOption, Session } from '../../../protocol/session.ts';
import { useTransport } from '../../data/room-context.tsx';
import { useT } from '../../i18n/i18n.ts';
import { errorText } from '../../text/error-text.ts';
import { Button } from '../../ui/button.tsx';
import { toast } from '../../ui/toast.tsx';
import { Section } from './details-section.tsx';
import { SettingMenu } from './setting-menu.tsx';

/** What the agent lets one set beside mode and model. What makes it ask less takes a second press. */
export function DetailsOptions({ session }: { readonly session: Session }) {
  const t = useT();
  const { options = [] } = session;
  if (options.length === 0) return null;
  return (
    <Section title={t('details.options')}>
      <dl className="flex flex-col gap-2 text-sm">
        {options.map((option) => (
          <Option key={option.id} session={session} option={option} />
        ))}
      </dl>
    </Section>
  );
}

function Option({ session, option }: { readonly session: Session; readonly option: AgentOption }) {
  const t = useT();
  const transport = useTransport();
  const [wanted, setWanted] = useState<string | null>(null);
  const { id, label, description, value, choices, asksLess = [] } = option;
  const labelOf = (one: string): string => choices.find((choice) => choice.value === one)?.label ?? one;
  const isRunning = !['asleep', 'stopped', 'failed'].includes(session.status);
  const asksLessNow = asksLess.includes(value);

  const set = (chosen: string): void => {
    setWanted(null);
    transport
      .patch(session.id, { option: { id, value: chosen } })
      .catch((error: unknown) => toast('fail', errorText(t, error)));
  };

  return (
    <div className="flex flex-col gap-1">
      <div className="flex items-center justify-between gap-4">
        <dt className="min-w-0 text-soft wrap-anywhere" title={description}>
          {label}
        </dt>
        <dd>
          <SettingMenu
            session={session}
            name={label}
            shown={labelOf(value)}
            value={value}
            choices={isRunning ? choices : []}
            change={(chosen) => ({ option: { id, value: chosen } })}
            intercept={(chosen) => {
              const isHeld = asksLess.includes(chosen);
              if (isHeld) setWanted(chosen);
              return isHeld;
            }}
          />
        </dd>
      </div>
      {asksLessNow && <p className="text-xs text-you-ink">{t('details.asksLess')}</p>}
      {wanted !== null && (
        <div
          role="alert"
          className="flex flex-wrap items-center gap-2 rounded-ui bg-you-tint p-2 text-xs text-you-ink"
        >
          <span className="min-w-32 flex-1">
            {t('details.asksLessConfirm', { option: label, value: labelOf(wanted) })}
          </span>
          <Button size="sm" variant="danger" onClick={() => set(wanted)}>
            {t('details.asksLessYes')}
          </Button>
          <Button size="sm" onClick={() => setWanted(null)}>
            {t('ui.cancel')}
          </Button>
        </div>
      )}
    </div>
  );
}

import type { Agent } from '../../protocol/session.ts';
import { useT } from '../i18n/i18n.ts';
import { cx } from '../ui/class-names.ts';

/** Agents side by side; one that cannot be run says why. */
export function AgentChoice({
  agents,
  value,
  onChange,
}: {
  readonly agents: readonly Agent[];
  readonly value: string;
  readonly onChange: (agent: Agent) => void;
}) {
  const t = useT();
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="mb-1 font-medium text-sm">{t('new.agent')}</legend>
      <div className="grid gap-2 sm:grid-cols-2">
        {agents.map((agent) => {
          const { name, label, available, reason, version } = agent;
          return (
            <label
              key={name}
              className={cx(
                'flex cursor-pointer items-start gap-2.5 rounded-ui border px-3 py-2 transition-colors duration-150 has-focus-visible:outline-2 has-focus-visible:outline-ink',
                name === value ? 'border-ink bg-hover' : 'border-line-strong hover:border-faint',
                !available && 'cursor-not-allowed',
              )}
            >
              <input
                type="radio"
                name="agent"
                value={name}
                checked={name === value}
                disabled={!available}
                onChange={() => onChange(agent)}
                className="mt-0.75 accent-ink outline-none"
              />
              <span className="flex min-w-0 flex-col">
                <span className={cx('font-medium', !available && 'text-faint')}>{label}</span>
                <span className="text-faint text-xs wrap-anywhere">
                  {available ? (version ?? t('new.available')) : (reason ?? t('new.unavailable'))}
                </span>
              </span>
            </label>
          );
        })}
      </div>
    </fieldset>
  );
}

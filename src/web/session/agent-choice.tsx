import { ChevronRight } from 'lucide-react';
import type { Agent } from '../../protocol/session.ts';
import { type Translate, useT } from '../i18n/i18n.ts';
import { cx } from '../ui/class-names.ts';

/** Agents side by side; one that cannot be run says why. Those that are known and not installed are folded away. */
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
  const missing = agents.filter(({ available, install }) => !available && install !== undefined);
  const chosen = agents.find(({ name }) => name === value);
  const signIn = chosen?.signIn && signInWords(t, chosen.signIn);
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="mb-1 font-medium text-sm">{t('new.agent')}</legend>
      <div className="grid gap-2 sm:grid-cols-2">
        {agents
          .filter((agent) => !missing.includes(agent))
          .map((agent) => (
            <OneAgent key={agent.name} agent={agent} isChosen={agent === chosen} onChoose={onChange} />
          ))}
      </div>
      {signIn && <p className="text-faint text-xs wrap-anywhere">{signIn}</p>}
      {missing.length > 0 && <NotInstalled agents={missing} />}
    </fieldset>
  );
}

function OneAgent({
  agent,
  isChosen,
  onChoose,
}: {
  readonly agent: Agent;
  readonly isChosen: boolean;
  readonly onChoose: (agent: Agent) => void;
}) {
  const t = useT();
  const { name, label, available, reason, version } = agent;
  return (
    <label
      className={cx(
        'flex cursor-pointer items-start gap-2.5 rounded-ui border px-3 py-2 transition-colors duration-150 has-focus-visible:outline-2 has-focus-visible:outline-ink',
        isChosen ? 'border-ink bg-hover' : 'border-line-strong hover:border-faint',
        !available && 'cursor-not-allowed',
      )}
    >
      <input
        type="radio"
        name="agent"
        value={name}
        checked={isChosen}
        disabled={!available}
        onChange={() => onChoose(agent)}
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
}

function NotInstalled({ agents }: { readonly agents: readonly Agent[] }) {
  const t = useT();
  return (
    <details className="group">
      <summary className="flex w-fit cursor-pointer list-none items-center gap-1.5 rounded-ui py-1 text-soft text-xs pointer-coarse:min-h-11">
        <ChevronRight aria-hidden className="size-3 transition-transform group-open:rotate-90" />
        {t('new.notInstalled', { count: agents.length })}
      </summary>
      <dl className="mt-1 grid gap-x-3 gap-y-1 text-xs sm:grid-cols-[auto_1fr]">
        {agents.map(({ name, label, install }) => (
          <div key={name} className="contents">
            <dt>{label}</dt>
            <dd className="mb-1 select-all font-mono text-faint wrap-anywhere sm:mb-0">{install}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

function signInWords(t: Translate, { command, variable }: NonNullable<Agent['signIn']>): string | undefined {
  if (command !== undefined && variable !== undefined) return t('new.signInEither', { command, variable });
  if (command !== undefined) return t('new.signInCommand', { command });
  return variable === undefined ? undefined : t('new.signInVariable', { variable });
}

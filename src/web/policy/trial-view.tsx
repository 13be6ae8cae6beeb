import { Link } from 'wouter';
import { showSuspicious } from '../../model/suspicious-text.ts';
import type { PolicyTrial, TriedAsk } from '../../protocol/policy.ts';
import { useT } from '../i18n/i18n.ts';
import { routes } from '../routes.ts';
import { Ago } from '../ui/ago.tsx';

/** What a policy would have made of the last days; first what it would have decided otherwise than a person did. */
export function TrialView({ trial }: { readonly trial: PolicyTrial }) {
  const t = useT();
  const { before, after, asks, days, contradictions, rules } = trial;
  return (
    <section
      aria-label={t('rules.result')}
      className="flex flex-col gap-3 rounded-ui border border-line bg-sunken p-3"
    >
      <p className="text-sm">
        {asks === 0
          ? t('rules.nothingAsked', { count: days })
          : t('rules.summary', { count: asks, days, before: before.asked, after: after.asked })}
      </p>
      {contradictions.length > 0 && (
        <div className="flex flex-col gap-1.5">
          <h4 className="font-medium text-sm text-you-ink">{t('rules.otherwise')}</h4>
          <ul className="flex flex-col gap-1.5 text-sm">
            {contradictions.map((each) => (
              <li
                key={`${each.rule} ${each.interactionId}`}
                className="flex flex-wrap items-baseline gap-x-2"
              >
                <span>
                  {t(`rules.you.${each.decided}`, { count: each.times })}{' '}
                  {each.rule === null
                    ? t('rules.byOthers')
                    : t(`rules.would.${each.decided}`, { rule: each.rule + 1 })}
                </span>
                <AskLine ask={each} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {asks > 0 && (
        <dl className="grid grid-cols-3 gap-2 text-center tabular-nums max-sm:grid-cols-1">
          {(['asked', 'allowed', 'denied'] as const).map((each) => (
            <div
              key={each}
              className="flex flex-col rounded-tight bg-surface px-2 py-1.5 max-sm:flex-row-reverse max-sm:justify-between"
            >
              <dd className="font-semibold text-lg">{after[each]}</dd>
              <dt className="text-faint text-xs max-sm:self-center">
                {t(`rules.count.${each}`)} {t('rules.was', { count: before[each] })}
              </dt>
            </div>
          ))}
        </dl>
      )}
      {rules.some(({ matched }) => matched > 0) && (
        <ol className="flex flex-col gap-1 text-sm">
          {rules.map(({ decided, matched, examples }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a rule is known by its number
            <li key={index}>
              {examples.length === 0 ? (
                t('rules.fitsNothing', { rule: index + 1 })
              ) : (
                <details>
                  <summary className="cursor-pointer">
                    {t('rules.decides', { rule: index + 1, decided, matched })}
                  </summary>
                  <ul className="flex flex-col gap-1 py-1 pl-4">
                    {examples.map((ask) => (
                      <li key={ask.interactionId}>
                        <AskLine ask={ask} />
                      </li>
                    ))}
                  </ul>
                </details>
              )}
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

const AskLine = ({ ask }: { readonly ask: TriedAsk }) => (
  <span className="inline-flex min-w-0 flex-wrap items-baseline gap-x-2">
    <span className="font-medium">{ask.toolName}</span>
    <code className="min-w-0 rounded-tight bg-surface px-1.5 font-mono text-xs leading-5 wrap-anywhere">
      {showSuspicious(ask.subject)}
    </code>
    <Link href={routes.session(ask.sessionId)} className="text-faint text-xs hover:underline">
      <Ago at={ask.at} />
    </Link>
  </span>
);

import { showSuspicious } from '../../model/suspicious-text.ts';
import type { PolicyRule, RuleEffect } from '../../protocol/rule.ts';
import { useT } from '../i18n/i18n.ts';
import { Badge } from '../ui/badge.tsx';
import type { Tone } from '../ui/tone.ts';

const tones: Readonly<Record<RuleEffect, Tone>> = { allow: 'done', ask: 'you', deny: 'fail' };

/** A rule in one line: what it does, to which tool and what of it. Whatever is invisible in it is shown. */
export function RuleLine({ rule }: { readonly rule: PolicyRule }) {
  const t = useT();
  const { effect, tool, pattern, cwd, reason } = rule;
  return (
    <span className="flex min-w-0 flex-wrap items-baseline gap-x-2 gap-y-1">
      <Badge tone={tones[effect]}>{t(`rules.effect.${effect}`)}</Badge>
      <span className="font-medium wrap-anywhere">{showSuspicious(tool)}</span>
      {pattern === undefined ? (
        <span className="text-faint text-sm">{t('rules.everyCall')}</span>
      ) : (
        <code className="min-w-0 rounded-tight bg-sunken px-1.5 font-mono text-xs leading-5 wrap-anywhere">
          {showSuspicious(pattern)}
        </code>
      )}
      {cwd !== undefined && (
        <span className="text-faint text-xs wrap-anywhere">
          {t('rules.in', { directory: showSuspicious(cwd) })}
        </span>
      )}
      {reason !== undefined && reason !== '' && (
        <span className="text-soft text-sm wrap-anywhere">{showSuspicious(reason)}</span>
      )}
    </span>
  );
}

export const RuleLines = ({ rules }: { readonly rules: readonly PolicyRule[] }) => (
  <ul className="flex flex-col gap-1.5">
    {rules.map((rule, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: they are shown as they stand, and never moved
      <li key={index}>
        <RuleLine rule={rule} />
      </li>
    ))}
  </ul>
);

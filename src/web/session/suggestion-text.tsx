import { visibleLine } from '../../model/suspicious-text.ts';
import type { Suggestion } from '../../protocol/suggestion.ts';
import { type Translate, useT } from '../i18n/i18n.ts';

/** "You allowed npm test 14 times in 3 sessions, and never denied it." */
export function suggestionText(t: Translate, { pattern, allowed, sessions }: Suggestion): string {
  const where = t('suggestion.sessions', { count: sessions });
  return t('suggestion.text', { pattern: visibleLine(pattern), count: allowed, where });
}

/** What a suggested grant would allow, where, and what would still be asked. */
export function SuggestionReach({ suggestion }: { readonly suggestion: Suggestion }) {
  const t = useT();
  const { toolName, pattern, literal, directory, matched, not } = suggestion;
  return (
    <dl className="flex flex-col gap-2 rounded-tight bg-sunken px-2.5 py-2 text-xs">
      <Values title={t('suggestion.allows', { tool: toolName })} values={[pattern]} />
      <Values title={t('suggestion.where')} values={[directory]} />
      {!literal && <Values title={t('suggestion.matched')} values={matched} />}
      <Values title={t('suggestion.not')} values={not} />
    </dl>
  );
}

function Values({ title, values }: { readonly title: string; readonly values: readonly string[] }) {
  if (values.length === 0) return null;
  return (
    <div className="flex flex-col gap-0.5">
      <dt className="text-soft">{title}</dt>
      {values.map((value) => (
        <dd key={value} className="font-mono text-ink wrap-anywhere">
          {visibleLine(value)}
        </dd>
      ))}
    </div>
  );
}

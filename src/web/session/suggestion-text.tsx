import { visibleLine } from '../../model/suspicious-text.ts';
import type { Suggestion } from '../../protocol/suggestion.ts';
import { type Translate, useT } from '../i18n/i18n.ts';

/** "You allowed npm test 14 times in 3 sessions, and never denied it." */
export function suggestionText(t: Translate, { pattern, allowed, sessions }: Suggestion): string {
  const where = t('suggestion.sessions', { count: sessions });
  return t('suggestion.text', { pattern: visibleLine(pattern), count: allowed, where });
}

/** What a suggested grant would allow, where, and what would still be asked. */
export function SuggestionReach({
  suggestion,
  isFolded = false,
}: {
  readonly suggestion: Suggestion;
  /** In a list the examples are folded away. */
  readonly isFolded?: boolean;
}) {
  const t = useT();
  const { toolName, pattern, literal, directory, matched, not } = suggestion;
  const examples = (
    <dl className="flex flex-col gap-2">
      {!literal && <Values title={t('suggestion.matched')} values={matched} />}
      <Values title={t('suggestion.not')} values={not} />
    </dl>
  );
  return (
    <div className="flex flex-col gap-2 rounded-tight bg-sunken px-2.5 py-2 text-xs">
      <dl className="flex flex-col gap-2">
        <Values title={t('suggestion.allows', { tool: toolName })} values={[pattern]} />
        <Values title={t('suggestion.where')} values={[directory]} />
      </dl>
      {isFolded ? (
        <details>
          <summary className="text-soft pointer-coarse:py-3">{t('suggestion.examples')}</summary>
          <div className="pt-1">{examples}</div>
        </details>
      ) : (
        examples
      )}
    </div>
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

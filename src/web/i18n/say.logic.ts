import { wholeCount } from '../session/figures.logic.ts';
import type { Values } from './messages.ts';

const rules = new Map<string, Intl.PluralRules>();

/**
 * A message with its values put in for `{name}`. With a `count`, the form that the language's grammar asks for
 * is taken: `key_one`, `key_other`.
 */
export function say(
  messages: Readonly<Record<string, string>>,
  language: string,
  key: string,
  values: Values,
): string {
  const { count } = values;
  const plural = typeof count === 'number' ? messages[`${key}_${formOf(language, count)}`] : undefined;
  const message = plural ?? messages[`${key}_other`] ?? messages[key] ?? key;
  return message.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    const value = values[name];
    if (value === undefined) return placeholder;
    return typeof value === 'number' ? wholeCount(value, language) : value;
  });
}

function formOf(language: string, count: number): Intl.LDMLPluralRule {
  const known = rules.get(language) ?? new Intl.PluralRules(language);
  rules.set(language, known);
  return known.select(count);
}

/** A count in few characters: "840", "12K", "1.3M". */
export const shortCount = (count: number, language: string): string =>
  count.toLocaleString(language, { notation: 'compact', maximumFractionDigits: count < 100_000 ? 1 : 0 });

/** A count with all its figures: "12,345", in German "12.345". */
export const wholeCount = (count: number, language: string): string => count.toLocaleString(language);

/** What something cost, as exactly as it matters: fractions of a cent only where there is no cent. */
export function money(dollars: number, language: string): string {
  const digits = dollars > 0 && dollars < 0.01 ? 4 : 2;
  return dollars.toLocaleString(language, {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

/** A day like `2026-01-31`, as people write it: "Jan 31, 2026". */
export const dayText = (day: string, language: string): string =>
  new Date(day).toLocaleDateString(language, { dateStyle: 'medium', timeZone: 'UTC' });

export interface Tokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

/** All that went in and out, whether it was kept from before or not. */
export const allTokens = (tokens: Tokens): number =>
  tokens.inputTokens + tokens.outputTokens + tokens.cacheReadTokens + tokens.cacheWriteTokens;

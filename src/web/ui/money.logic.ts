/** What something cost, in dollars; a price that would round to nothing is not shown as nothing. */
export function moneyText(language: string, dollars: number): string {
  const least = 0.01;
  const shown = Math.max(dollars, least).toLocaleString(language, { style: 'currency', currency: 'USD' });
  return dollars > 0 && dollars < least ? `< ${shown}` : shown;
}

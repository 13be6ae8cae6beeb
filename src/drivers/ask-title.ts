const longest = 200;

/** What is asked, in one line that fits on a card. */
export function askTitle(words: string): string {
  const [firstLine = ''] = words.split('\n', 1);
  const cut = firstLine.slice(0, longest);
  return cut === words ? words : `${cut}…`;
}

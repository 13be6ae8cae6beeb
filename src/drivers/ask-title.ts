import type { Subject } from '../protocol/interaction.ts';

const longest = 200;

/** What is asked, in one line that fits on a card. */
export function askTitle(words: string): string {
  const [firstLine = ''] = words.split('\n', 1);
  const cut = firstLine.slice(0, longest);
  return cut === words ? words : `${cut}…`;
}

/** What a tool is to be used for; where a link leads elsewhere, both. `told` tells most of a call that only its whole input stands for. */
export function callTitle(
  toolName: string,
  { kind, value, asked }: Subject,
  told: string | undefined,
): string {
  const about = kind === 'input' ? told : asked === undefined ? value : `${asked} → ${value}`;
  return askTitle(about === undefined ? toolName : `${toolName}: ${about}`);
}

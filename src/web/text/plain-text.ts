import { plainText } from '../../model/plain-text.ts';
import { showSuspicious } from '../../model/suspicious-text.ts';
import type { Interaction } from '../../protocol/interaction.ts';

export { plainText };

export const oneLine = (text: string): string => plainText(text).replace(/\s+/g, ' ').trim();

/** An approval's title has the command or the path in it; a question's is prose. */
export const titleOfAsk = ({ kind, tool, title }: Interaction): string =>
  kind === 'approval' && tool === undefined ? showSuspicious(title) : plainText(title);

/** Markdown read as prose: the marks that only a renderer needs are left out. */
export const prose = (markdown: string): string =>
  plainText(markdown)
    .replace(/^#{1,6} +/gm, '')
    .replace(/(\*\*|__)(?=\S)(.*?\S)\1/g, '$2')
    .replace(/(?<![*\w])\*(?=[^\s*])([^*\n]*[^\s*])\*(?![*\w])/g, '$1')
    .replace(/`([^`\n]+)`/g, '$1')
    .replace(/^(\s*)[-*] /gm, '$1• ')
    .replace(/\n{2,}/g, '\n');

export interface Passage {
  readonly isCode: boolean;
  readonly text: string;
}

/** Markdown as prose and the blocks of code between it; one that is not closed yet goes on to the end. */
export function passagesOf(markdown: string): Passage[] {
  return plainText(markdown)
    .split(/^ {0,3}```.*$\n?/m)
    .map((part, at) => ({ isCode: at % 2 === 1, text: at % 2 === 1 ? part.trimEnd() : prose(part).trim() }))
    .filter(({ text }) => text !== '');
}

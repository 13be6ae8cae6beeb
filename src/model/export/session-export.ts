import type { Event } from '../../protocol/event.ts';
import type { Session } from '../../protocol/session.ts';
import { htmlOf } from './html.ts';
import { markdownOf } from './markdown.ts';
import { type StoryPart, storyOf } from './story.ts';

export const exportFormats = ['json', 'markdown', 'html'] as const;
export type ExportFormat = (typeof exportFormats)[number];

export const exportTypes: Record<ExportFormat, { readonly extension: string; readonly mediaType: string }> = {
  json: { extension: 'json', mediaType: 'application/json' },
  markdown: { extension: 'md', mediaType: 'text/markdown' },
  html: { extension: 'html', mediaType: 'text/html' },
};

/** What is known of a session where it is told as a whole. */
export interface ExportedSession {
  readonly title: string;
  /** One line each, for the head. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly parts: readonly StoryPart[];
  /** What is in it and what is not, in a sentence or two. */
  readonly contents: string;
}

/** A session as one document to keep or to show. `at` is when it is made. */
export function exportSession(
  session: Session,
  events: readonly Event[],
  { format, at }: { readonly format: ExportFormat; readonly at: string },
): string {
  if (format === 'json')
    return `${JSON.stringify({ beckonExport: 1, exportedAt: at, session, events }, null, 2)}\n`;
  const parts = storyOf(events);
  const told: ExportedSession = {
    title: session.title,
    facts: [
      ['Agent', session.agent],
      ...(session.model === null || session.model === undefined ? [] : ([['Model', session.model]] as const)),
      ['Directory', session.cwd],
      ['Began', events[0]?.at ?? at],
      ['Exported', `${at} (${session.status})`],
    ],
    parts,
    contents: contentsOf(events, parts),
  };
  return format === 'markdown' ? markdownOf(told) : htmlOf(told);
}

/** A file's name that every system takes. */
export function exportName({ title, id }: Pick<Session, 'title' | 'id'>, format: ExportFormat): string {
  const words = title
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '')
    .toLowerCase()
    .slice(0, 60);
  return `${words === '' ? id : words}.${exportTypes[format].extension}`;
}

function contentsOf(events: readonly Event[], parts: readonly StoryPart[]): string {
  const pictures = parts.reduce(
    (sum, part) =>
      sum + ('pictures' in part ? part.pictures : part.is === 'tool' ? (part.result?.pictures ?? 0) : 0),
    0,
  );
  const left = pictures === 0 ? '' : `, and ${pictures === 1 ? 'one picture' : `${pictures} pictures`}`;
  return `It holds what was said, asked, decided and done, as recorded in ${events.length} events: messages, thoughts, what went into tools and what they printed. Not in it are the variables the agent was started with, tokens and keys of Beckon, and raw output${left}. What an agent printed may hold secrets of its own.`;
}

import type {
  Landing,
  LandingHow,
  LandingWay,
  Uncommitted,
  UncommittedFile,
} from '../../protocol/landing.ts';
import type { Row } from '../conversation/row.ts';

/** What is said to the agent; people see it in the conversation as any other message. */
export const askForMessage = (paths: readonly string[]): string =>
  [
    'Please propose a commit message for these changes. Do not commit anything yourself.',
    '',
    ...paths.slice(0, mostNamed).map((path) => `- ${path}`),
    ...(paths.length > mostNamed ? [`- and ${paths.length - mostNamed} more`] : []),
    '',
    'Answer with the message alone, in one fenced block that is marked `commit`:',
    '',
    '```commit',
    'a subject of at most 72 letters',
    '',
    'a body, if it needs one',
    '```',
  ].join('\n');

const mostNamed = 50;

export const askToMerge = (base: string, paths: readonly string[]): string =>
  [
    `Please merge the branch \`${base}\` into your branch, so that yours can land on it without conflicts. Both sides changed:`,
    '',
    ...paths.slice(0, mostNamed).map((path) => `- ${path}`),
    '',
    'Solve the conflicts with care for both sides, run the tests, and commit the merge.',
  ].join('\n');

/** The newest block that is marked as a commit message in what the agent said after an event; undefined while there is none. */
export function proposedMessage(rows: readonly Row[], after: number): string | undefined {
  for (const { item } of rows.toReversed()) {
    if (item.kind !== 'text' || item.isLive || item.seq === null || item.seq <= after) continue;
    const blocks = [...item.text.matchAll(/^(`{3,}) *commit *\n([\s\S]*?)^\1 *$/gm)];
    const message = blocks.at(-1)?.[2]?.trim();
    if (message !== undefined && message !== '') return message;
  }
  return undefined;
}

/** Why nothing can be committed, by the message that says it; undefined where something can. */
export function hindrance({ underWay, branch, author }: Uncommitted) {
  if (underWay !== null) return `landing.underWay.${underWay}` as const;
  if (branch === null) return 'landing.noBranch' as const;
  return author === null ? ('landing.noAuthor' as const) : undefined;
}

export const canCommit = (file: UncommittedFile): boolean => file.blocked === undefined;

export const wayOf = (landing: Landing, how: LandingHow): LandingWay =>
  how === 'rebase' ? landing.rebased : landing.merged;

/** Whether the files where the base is checked out can go along. */
export const isFree = ({ checkedOut }: Landing): boolean =>
  checkedOut === null ||
  (checkedOut.isAllowed && checkedOut.underWay === null && checkedOut.inTheWay.length === 0);

/** What stands in the field at first; undefined where there is none to be written. */
export function usualMessage({ branch, commits }: Landing, how: LandingHow): string | undefined {
  if (how === 'rebase') return undefined;
  if (how === 'merge') return `Merge branch '${branch}'`;
  const subjects = commits.map(({ subject }) => subject).reverse();
  const [only, ...more] = subjects;
  return more.length === 0
    ? only
    : [`Squash branch '${branch}'`, '', ...subjects.map((one) => `* ${one}`)].join('\n');
}

export const shortCommit = (id: string): string => id.slice(0, 8);

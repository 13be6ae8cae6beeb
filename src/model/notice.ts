import type { Event, EventOf } from '../protocol/event.ts';
import type { InteractionId } from '../protocol/ids.ts';
import type { Interaction, InteractionKind, Outcome } from '../protocol/interaction.ts';
import { NoticeKind, Sparseness } from '../protocol/push.ts';
import type { Session } from '../protocol/session.ts';
import { noticeTagOf } from './notice-tag.ts';
import { type NoticeWords, noticeWords } from './notice-words.ts';
import { isCompound } from './pattern.ts';
import { programIn } from './programs.ts';
import { isSensitive } from './sensitive-files.ts';
import { shownDigest } from './shown-digest.ts';
import { isSuspicious, showInvisible, valueLine, visibleLine } from './suspicious-text.ts';
import { mainPartOf, saysNothing, type ToolCall, toolCallOf } from './tool-call.ts';

export type { NoticeKind, Sparseness };
export const noticeKinds = NoticeKind.options;

/** Something that deserves to be told outside of the page. Its texts are bounded, whatever an agent said. */
export type Notice = NoticeOf<'waits', { readonly asks: readonly NoticeAsk[] }> | AnsweredNotice | EndNotice;
/** One interaction has its outcome. For programs; people are told by taking back what they were told before. */
export type AnsweredNotice = NoticeOf<
  'answered',
  { readonly asks: readonly NoticeAsk[]; readonly outcome: Outcome; readonly by: string }
>;
export type EndNotice = NoticeOf<'failed', { readonly reason: string }> | NoticeOf<'done', object>;
export type WaitsNotice = Extract<Notice, { kind: 'waits' }>;

type NoticeOf<Kind extends string, More> = {
  /** The same however often it is made of the same events. */
  readonly id: string;
  readonly kind: Kind;
  readonly at: string;
  readonly session: NoticeSession;
} & More;

export type NoticeSession = Pick<Session, 'id' | 'key' | 'title' | 'agent'>;

export interface NoticeAsk {
  readonly interactionId: InteractionId;
  readonly kind: InteractionKind;
  readonly toolName: string;
  /** What is asked, in few lines. */
  readonly text: string;
  /** A sub-agent asks, under the name of its session. */
  readonly isOfSubAgent: boolean;
  readonly expiresAt?: string;
  /** Only where `text` is all there is to know: it can be allowed and denied as it was shown here. */
  readonly shown?: string;
}

export const sparsenesses = Sparseness.options;

export interface NoticeText {
  readonly title: string;
  readonly body: string;
}

/** Its words. An ask that is not shown here cannot be allowed from here: see `answerableIn`. */
export function noticeText(
  notice: Notice,
  sparseness: Sparseness,
  words: NoticeWords = noticeWords.en,
): NoticeText {
  const title = shortened(proseLine(notice.session.title) || notice.session.agent, longestTitle);
  const what = whatOf(notice, words);
  if (sparseness === 'title') return { title, body: what };
  switch (notice.kind) {
    case 'waits':
    case 'answered': {
      const [only] = notice.asks;
      if (notice.asks.length === 1 && only !== undefined)
        return {
          title,
          body: notice.kind === 'waits' ? askLine(only, words) : `${what}: ${askLine(only, words)}`,
        };
      const listed = notice.asks.slice(0, mostListed).map((ask) => `· ${firstLine(askLine(ask, words))}`);
      const more = notice.asks.length - listed.length;
      return { title, body: [`${what}:`, ...listed, ...(more > 0 ? [words.more(more)] : [])].join('\n') };
    }
    case 'failed':
      return { title, body: `${what}: ${notice.reason}` };
    case 'done':
      return { title, body: what };
  }
}

/** The ask that can be allowed and denied from this notice, shown in this way: one alone, and whole. */
export function answerableIn(
  notice: Notice,
  sparseness: Sparseness,
): { readonly interactionId: InteractionId; readonly shown: string } | undefined {
  if (notice.kind !== 'waits' || sparseness !== 'full' || notice.asks.length !== 1) return undefined;
  const [ask] = notice.asks;
  return ask?.shown === undefined ? undefined : { interactionId: ask.interactionId, shown: ask.shown };
}

export const noticeTag = ({ kind, session }: Notice): string => noticeTagOf(kind, session.id);

/** Several of one session that wait, as one. */
export function joinWaiting(notices: readonly WaitsNotice[]): WaitsNotice | undefined {
  const last = notices.at(-1);
  return last && { ...last, asks: notices.flatMap(({ asks }) => asks) };
}

/** What the events around one say of it. */
export interface NoticeSources {
  readonly session: Session;
  /** As it is after this event. */
  readonly interaction: (
    event: EventOf<'interaction.requested' | 'interaction.resolved'>,
  ) => Interaction | undefined;
  /** Someone or something other than a person has ended it in the same breath. */
  readonly isAskedOfNobody: (interactionId: InteractionId) => boolean;
  /** A message began this turn, or the answer to what was asked in an earlier one. */
  readonly isBegunByPerson: (turnId: string) => boolean;
  /** The session failed with this exit. */
  readonly isFollowedByFailure: (event: Event) => boolean;
}

/** The events that may deserve a notice, or make one needless: others need not be looked at. */
export const noticedEvents: ReadonlySet<Event['type']> = new Set([
  'interaction.requested',
  'interaction.decided',
  'interaction.resolved',
  'session.changed',
  'session.failed',
  'process.exited',
  'turn.ended',
] satisfies Event['type'][]);

export function noticeOf(event: Event, sources: NoticeSources): Notice | undefined {
  const { id, key, title, agent } = sources.session;
  const about = { at: event.at, session: { id, key, title: shortened(title, longestTitle), agent } };
  switch (event.type) {
    case 'interaction.requested': {
      const asked = sources.interaction(event);
      if (asked === undefined || sources.isAskedOfNobody(event.interactionId)) return undefined;
      return { id: `waits_${event.interactionId}`, kind: 'waits', ...about, asks: [askOf(asked)] };
    }
    case 'interaction.resolved': {
      const asked = sources.interaction(event);
      if (asked === undefined || sources.isAskedOfNobody(event.interactionId)) return undefined;
      const { outcome, by } = event;
      const resolved = { asks: [askOf(asked)], outcome, by: asked.resolvedBy?.kind ?? by.kind };
      return { id: `answered_${event.interactionId}`, kind: 'answered', ...about, ...resolved };
    }
    case 'session.failed':
      return ended(`failed_${id}_${event.seq}`, event.reason);
    case 'process.exited':
      if (!event.crashed || sources.isFollowedByFailure(event)) return undefined;
      return ended(`failed_${id}_${event.seq}`, event.reason ?? 'The agent crashed.');
    case 'turn.ended': {
      if (!sources.isBegunByPerson(event.turnId)) return undefined;
      if (event.outcome === 'failed')
        return ended(`failed_${event.turnId}`, event.error ?? 'The turn failed.');
      return event.outcome === 'completed'
        ? { id: `done_${event.turnId}`, kind: 'done', ...about }
        : undefined;
    }
    default:
      return undefined;
  }

  function ended(noticeId: string, reason: string): Notice {
    return { id: noticeId, kind: 'failed', ...about, reason: shortened(proseLine(reason), longestText) };
  }
}

function askOf(interaction: Interaction): NoticeAsk {
  const { interactionId, kind, toolName, expiresAt } = interaction;
  const whole = wholeText(interaction);
  return {
    interactionId,
    kind,
    toolName: shortened(visibleLine(toolName), longestTitle),
    text: whole ?? shortText(interaction),
    isOfSubAgent: interaction.parentToolCallId !== undefined || interaction.agentId !== undefined,
    ...(expiresAt !== undefined && { expiresAt }),
    ...(whole !== undefined && { shown: shownDigest(interaction) }),
  };
}

const longestTitle = 100;
const longestText = 400;
const mostListed = 4;
/** What a lock screen shows without cutting it. */
const longestWhole = 120;

/** All that a person has to see of an approval, where that is little and plain; undefined where it has to be opened. */
function wholeText(interaction: Interaction): string | undefined {
  const { kind, status, tool, plan, form, questions, ways, blockedPath, subject } = interaction;
  const isPlain =
    kind === 'approval' &&
    status === 'open' &&
    [tool, plan, form, questions, blockedPath, subject?.asked].every((part) => part === undefined) &&
    (ways === undefined || ways.length < 2) &&
    interaction.requiresPerson !== true &&
    interaction.defaultToNo !== true;
  if (!isPlain || saysNothing(interaction)) return undefined;
  const call = toolCallOf(interaction);
  if (call.others.length > 0 || call.risks.length > 0) return undefined;
  const lines = wholeLines(call);
  return lines?.every(isShownAsIs) ? lines.join('\n') : undefined;
}

function wholeLines(call: ToolCall): readonly string[] | undefined {
  switch (call.is) {
    case 'command': {
      const { command, description, directory } = call;
      if (directory !== null || isCompound(command) || isDangerous(command)) return undefined;
      return description === null ? [command] : [command, description];
    }
    case 'read':
      return isSensitive(call.path, true) ? undefined : [call.path];
    default:
      return undefined;
  }
}

/** One short line in which nothing is hidden, by a character or by the room it takes. */
const isShownAsIs = (line: string): boolean =>
  line.length <= longestWhole && !isSuspicious(line) && line === line.trim() && !/\s{2}|[\t\n\r]/.test(line);

/** Programs that destroy, reach out or give rights: a person reads about these where there is room, not between two other things. */
const dangerous = new Set(
  `rm rmdir shred dd mkfs fdisk parted sudo su doas chmod chown kill pkill killall shutdown reboot halt
  curl wget ssh scp sftp rsync nc ncat socat eval exec source mv truncate crontab systemctl launchctl`.split(
    /\s+/,
  ),
);
const dangerousWords =
  /\s(push|publish|deploy|destroy|delete|clean|reset|prune|uninstall|drop|--force|-f)(\s|$)/;

/** Wherever in the line such a program is named: others run what they are given. */
const isDangerous = (command: string): boolean =>
  /^\w+=/.test(command) ||
  dangerousWords.test(` ${command}`) ||
  command.split(/[\s"']+/).some((word) => dangerous.has(programIn(word).name));

function shortText(interaction: Interaction): string {
  const { kind, title, form, tool, plan, questions = [] } = interaction;
  switch (kind) {
    case 'question':
      return shortened(proseLine(questions[0]?.question ?? title), longestText);
    case 'form':
      return shortened(proseLine(form?.message || title), longestText);
    case 'approval': {
      if (tool !== undefined) return shortened(proseLine(form?.message || title), longestText);
      if (plan !== undefined) return shortened(proseLine(plan), longestText);
      const main = mainPartOf(toolCallOf(interaction));
      const text = main === null ? visibleLine(title) : lineAs(main);
      return shortened(text, longestText);
    }
  }
}

const lineAs = ({ text, as }: NonNullable<ReturnType<typeof mainPartOf>>): string => {
  switch (as) {
    case 'code':
    case 'path':
      return visibleLine(text);
    case 'prose':
      return proseLine(text);
    case 'value':
      return valueLine(text);
  }
};

function whatOf(notice: Notice, words: NoticeWords): string {
  switch (notice.kind) {
    case 'waits':
      return words.waits(notice.asks.length);
    case 'answered':
      return words.over(notice.outcome);
    case 'failed':
      return words.failed;
    case 'done':
      return words.done;
  }
}

function askLine({ kind, toolName, text, isOfSubAgent }: NoticeAsk, words: NoticeWords): string {
  const who = isOfSubAgent ? ` (${words.subAgent})` : '';
  return `${kind === 'approval' ? toolName : words.asks}${who}: ${text}`;
}

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';
const proseLine = (text: string): string => showInvisible(text).replace(/\s+/g, ' ').trim();
/** Between whole characters: half of one would be shown as something else. */
const shortened = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…`;

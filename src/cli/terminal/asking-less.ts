import { createInterface } from 'node:readline';
import { visibleLine } from '../../model/suspicious-text.ts';
import type { Session } from '../../protocol/session.ts';
import type { Suggestion } from '../../protocol/suggestion.ts';
import type { Console } from '../console.ts';
import { Failure, UsageError } from '../failure.ts';
import { atMostOne, isSet, textFlag } from '../flags.ts';
import { counted } from '../render/measures.ts';
import type { Paint } from '../render/paint.ts';
import { oneLine } from '../render/safe-text.ts';
import { shortIds } from '../render/short-ids.ts';
import { clientCommand, findSession, isShortFor } from './client-command.ts';

const whatTrustMeans = `Until then, what the session asks for is allowed without asking you. You are still asked for:
  questions, plans, forms and whatever insists on a person
  secrets, files that make programs run, and all outside of the session's directory
  commands with sudo or ssh, that push or publish, delete outside of the project, or run what they fetch
  addresses of this network, and what cannot be told what it does
Programs that it starts can do whatever you can, also what is listed here. Every call is on record.`;

export const trust = clientCommand({
  usage: 'trust SESSION [--for 15m --yes | --end]',
  mostWords: 1,
  help: `Allows everything of a session for some minutes, ends that, or tells how long it still lasts.

${whatTrustMeans}`,
  flags: { for: { type: 'string' }, yes: { type: 'boolean' }, end: { type: 'boolean' } },
  flagsHelp: `  --for 15m         from now on for so long: 1m to 60m (or 1h)
  --yes             that you have read what it means
  --end             ask me again from now on`,
  async run({ flags, connect }) {
    atMostOne(flags, 'for', 'end');
    const minutes = minutesOf(textFlag(flags, 'for'));
    if (minutes !== undefined && !isSet(flags, 'yes'))
      throw new UsageError(
        `${whatTrustMeans}\nSay --yes to allow everything for ${counted(minutes, 'minute')}.`,
      );
    const transport = await connect();
    const { id, trust: before } = await findSession(transport, flags.positionals[0]);
    if (minutes !== undefined) {
      const session = await transport.giveTrust(id, { minutes });
      return [{ session }, [trustWords(session, Date.now())]];
    }
    if (!isSet(flags, 'end')) {
      const session = await transport.session(id);
      return [{ session }, [trustWords(session, Date.now())]];
    }
    const session = await transport.endTrust(id);
    const uses = before === undefined ? [] : await transport.grantUses(id, before.grantId);
    const lines = uses.toReversed().map(({ toolName, title }) => `  ${oneLine(toolName)}: ${oneLine(title)}`);
    return [
      { session, uses },
      before === undefined
        ? ['There was no time of trust.']
        : [`The time of trust is over: ${allowed(uses.length)} meanwhile.`, ...lines],
    ];
  },
});

const allowed = (count: number): string =>
  `${counted(count, 'call')} ${count === 1 ? 'was' : 'were'} allowed`;

/** "Everything is allowed for 14 min 3 s; 2 calls were so far." */
function trustWords({ trust: given }: Session, now: number): string {
  if (given === undefined) return 'There is no time of trust: you are asked.';
  const seconds = Math.max(0, Math.ceil((Date.parse(given.until) - now) / 1000));
  const left = seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `Everything is allowed for ${left}; ${allowed(given.uses)} so far.`;
}

function minutesOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, amount, unit] = /^(\d+)(m|h)?$/.exec(text) ?? [];
  const minutes = Number(amount) * (unit === 'h' ? 60 : 1);
  if (!(minutes >= 1 && minutes <= 60))
    throw new UsageError(`--for takes minutes from 1m to 60m, not "${text}"`);
  return minutes;
}

export const suggestions = clientCommand({
  usage: 'suggestions [--accept ID | --decline ID]',
  help: `Lists what you have allowed often and denied never: it could be allowed without asking, in its directory alone. In a terminal it
then asks for the number of one to allow.`,
  flags: { accept: { type: 'string' }, decline: { type: 'string' } },
  flagsHelp: `  --accept ID       allow this one from now on; the id may be shortened
  --decline ID      do not suggest it again`,
  async run({ flags, console, paint, connect }) {
    atMostOne(flags, 'accept', 'decline');
    const transport = await connect();
    const list = await transport.suggestions();
    const accept = textFlag(flags, 'accept');
    const decline = textFlag(flags, 'decline');
    if (accept !== undefined) {
      const suggestion = named(list, accept);
      await transport.acceptSuggestion(suggestion.id);
      return [{ status: 'ok', suggestion }, [givenLine(suggestion)]];
    }
    if (decline !== undefined) {
      const suggestion = named(list, decline);
      await transport.declineSuggestion(suggestion.id);
      return [{ status: 'ok', suggestion }, [`not suggested again: ${patternOf(suggestion)}`]];
    }
    const ids = shortIds(list.map(({ id }) => id));
    const lines = list.flatMap((each, index) => suggestionLines(each, index + 1, ids[index] ?? '', paint));
    if (lines.length === 0) return [{ suggestions: list }, ['Nothing is suggested.']];
    if (isSet(flags, 'json') || !console.stdin.isTTY || !console.stdout.isTTY)
      return [{ suggestions: list }, lines];
    console.stdout.write(`${lines.join('\n')}\n`);
    // The number is of the list that was just read: another order by now changes nothing.
    const chosen = await numberOf(console, list);
    if (chosen === undefined) return [{}, ['Nothing was changed.']];
    await transport.acceptSuggestion(chosen.id);
    return [{}, [givenLine(chosen)]];
  },
});

const patternOf = ({ toolName, pattern }: Suggestion): string =>
  `${oneLine(toolName)} ${visibleLine(pattern)}`;

const givenLine = (suggestion: Suggestion): string =>
  `allowed from now on in ${oneLine(suggestion.directory)}: ${patternOf(suggestion)}`;

function named(list: readonly Suggestion[], text: string): Suggestion {
  const [first, ...others] = list.filter(({ id }) => isShortFor(id, text));
  if (first === undefined) throw new Failure(`"${text}" is not suggested`, 'suggestion_not_found');
  if (others.length > 0) throw new Failure(`"${text}" could be several`, 'suggestion_ambiguous');
  return first;
}

function suggestionLines(suggestion: Suggestion, number: number, id: string, paint: Paint): string[] {
  const { allowed: count, sessions, directory, literal, matched, not } = suggestion;
  const note = (words: string, values: readonly string[]): string[] =>
    values.length === 0 ? [] : [paint('dim', `     ${words}: ${values.map(visibleLine).join(' · ')}`)];
  return [
    `${String(number).padStart(2)}.  ${patternOf(suggestion)}  ${paint('dim', id)}`,
    `     allowed ${counted(count, 'time')} in ${counted(sessions, 'session')}, never denied; only in ${oneLine(directory)}`,
    ...note('was', literal ? [] : matched),
    ...note('still asked', not),
  ];
}

/** Which of the numbered ones is to be allowed; anything but a number of the list is none. */
async function numberOf(
  { stdin: input, stdout: output }: Console,
  list: readonly Suggestion[],
): Promise<Suggestion | undefined> {
  const lines = createInterface({ input, output });
  const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  try {
    const answer = new Promise<string>((resolve) =>
      lines.question('Allow which one from now on? Its number, or Enter for none: ', resolve),
    );
    const text = (await Promise.race([answer, closed])).trim();
    return /^\d+$/.test(text) ? list[Number(text) - 1] : undefined;
  } finally {
    lines.close();
  }
}

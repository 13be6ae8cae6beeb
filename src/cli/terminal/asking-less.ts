import type { Session } from '../../protocol/session.ts';
import { UsageError } from '../failure.ts';
import { atMostOne, isSet, textFlag } from '../flags.ts';
import { counted } from '../render/measures.ts';
import { oneLine } from '../render/safe-text.ts';
import { clientCommand, findSession } from './client-command.ts';

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

import { visibleLine } from '../../model/suspicious-text.ts';
import type { DecidedBy, Insights, Waits } from '../../protocol/insights.ts';
import { UsageError } from '../failure.ts';
import { type ParsedFlags, textFlag } from '../flags.ts';
import { columns } from '../render/columns.ts';
import { counted, duration, shortened } from '../render/measures.ts';
import type { Paint } from '../render/paint.ts';
import { oneLine } from '../render/safe-text.ts';
import { clientCommand } from './client-command.ts';

const mostAsked = 10;
const barLength = 24;

export const insights = clientCommand({
  usage: 'insights [--days N] [--project DIR]',
  help: 'Tells how long agents waited for a person, by kind, hour and day, what was asked most, and who decided.',
  flags: { days: { type: 'string' }, project: { type: 'string' } },
  flagsHelp: `  --days N          of so many days, instead of 30
  --project DIR     of the sessions that work in this directory`,
  async run({ flags, paint, connect }) {
    const days = daysOf(flags);
    const project = textFlag(flags, 'project');
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    const told = await (await connect()).insights({
      timeZone,
      ...(days !== undefined && { days }),
      ...(project !== undefined && { project }),
    });
    return [{ ...told }, insightLines(told, paint)];
  },
});

function daysOf(flags: ParsedFlags): number | undefined {
  const text = textFlag(flags, 'days');
  if (text === undefined) return undefined;
  const days = Number(text);
  if (!Number.isInteger(days) || days < 1 || days > 366)
    throw new UsageError('--days takes a number from 1 to 366');
  return days;
}

function insightLines(told: Insights, paint: Paint): string[] {
  const { from, to, asked, open, waits, byKind, byHour, byDay, askedMost, decidedBy } = told;
  if (asked === 0) return [`Nothing was asked from ${from} to ${to}.`];
  const title = (words: string): string[] => ['', paint('bold', words)];
  const bars = (rows: readonly (readonly [name: string, amount: number, words: string])[]): string[] => {
    const most = Math.max(...rows.map(([, amount]) => amount), 1);
    return columns(
      rows.map(([name, amount, words]) => [
        `  ${name}`,
        paint('cyan', '█'.repeat(Math.ceil((amount / most) * barLength))),
        words,
      ]),
    );
  };
  return [
    `${from} to ${to}: ${counted(asked, 'ask')}, ${open} still open; ${waitWords(waits)}`,
    ...title('By kind'),
    ...columns(
      byKind
        .filter(({ count }) => count > 0)
        .map(({ kind, ...figures }) => [`  ${kind}`, waitWords(figures)]),
    ),
    ...title('By hour'),
    ...bars(
      byHour
        .filter(({ count }) => count > 0)
        .map((each) => [`${String(each.hour).padStart(2)}:00`, each.totalMs, waitWords(each)]),
    ),
    ...title('By day'),
    ...bars(
      byDay.filter((day) => day.asked > 0).map(({ day, asked: count }) => [day, count, `${count} asked`]),
    ),
    ...title('Asked most'),
    ...columns(
      askedMost
        .slice(0, mostAsked)
        .map(({ toolName, pattern, count, allowed, denied, byItself }) => [
          `  ${count}`,
          `${oneLine(toolName)} ${shortened(visibleLine(pattern), 60)}`,
          paint('dim', `${allowed} allowed, ${denied} denied, ${byItself} without asking`),
        ]),
    ),
    ...title('Decided by'),
    ...columns(decidedBy.map((each) => [`  ${each.count}`, whoWords(each)])),
  ];
}

const waitWords = ({ count, medianMs, p90Ms, totalMs }: Waits): string =>
  count === 0 || medianMs === null || p90Ms === null
    ? 'nothing waited for a person'
    : `${count} waited ${duration(medianMs)} (median), ${duration(p90Ms)} (90 %), ${duration(totalMs)} in all`;

const words: Readonly<Record<string, string>> = {
  token: 'whoever has the token',
  library: 'a program, through the library',
  somebody: 'someone',
  grant: 'standing approvals',
  trust: 'times of trust',
  rule: 'rules',
  timer: 'the time limit',
  agent: 'the agent, which took it back',
  server: 'the server, when the agent was gone',
};

const whoWords = ({ who, name }: DecidedBy): string =>
  name === undefined ? (words[who] ?? oneLine(who)) : `${oneLine(name)} (${oneLine(who)})`;

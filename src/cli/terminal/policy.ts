import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import type { HttpTransport } from '../../client/http-transport.ts';
import { policyDigest } from '../../model/policy-digest.ts';
import { readPolicy } from '../../model/read-policy.ts';
import { visibleLine } from '../../model/suspicious-text.ts';
import { messageOf } from '../../protocol/errors.ts';
import type { DirectoryPolicy, PolicyTrial, StandingRule } from '../../protocol/policy.ts';
import type { Policy, PolicyRule } from '../../protocol/rule.ts';
import type { Console } from '../console.ts';
import { Failure, UsageError } from '../failure.ts';
import { isSet, type ParsedFlags, textFlag } from '../flags.ts';
import { columns } from '../render/columns.ts';
import { counted, shortened } from '../render/measures.ts';
import type { Paint } from '../render/paint.ts';
import { oneLine } from '../render/safe-text.ts';
import { shortIds } from '../render/short-ids.ts';
import { type Call, clientCommand, isShortFor, type Told, textOf } from './client-command.ts';

export const policy = clientCommand({
  usage: 'policy show | try FILE [--days N] | set FILE | trust ID [--digest SHA256]',
  help: `What is denied, asked or allowed by rule (docs/policies.md).

show         lists the rules, the policy and the policies that directories bring along
try FILE     tells what a policy would have made of what was asked; nothing takes effect
set FILE     puts it into effect, in place of the one before; "-" reads it from the input
trust ID     shows the policy of a directory, and lets it hold when you say so`,
  flags: { days: { type: 'string' }, digest: { type: 'string' } },
  flagsHelp: `  --days N          with try: how far to look back (default 30)
  --digest SHA256   with trust: of the content that you have seen, where nobody can be asked`,
  mostWords: 2,
  async run(call) {
    const [what = 'show', name] = call.flags.positionals;
    if (what !== 'try' && textFlag(call.flags, 'days') !== undefined)
      throw new UsageError('--days does nothing without "try"');
    if (what !== 'trust' && textFlag(call.flags, 'digest') !== undefined)
      throw new UsageError('--digest does nothing without "trust"');
    if (what === 'show' && name !== undefined) throw new UsageError(`"${name}" is one word too many`);
    switch (what) {
      case 'show':
        return show(call);
      case 'try':
        return tryFile(call, name);
      case 'set':
        return set(call, name);
      case 'trust':
        return trust(call, name);
      default:
        throw new UsageError(`"${what}" is none of show, try, set and trust`);
    }
  },
});

async function show({ paint, connect }: Call): Promise<Told> {
  const all = await (await connect()).rules();
  const { rules, policy: inForce, directories } = all;
  const ids = shortIds([...rules, ...directories].map(({ id }) => id));
  const idOf = (id: string): string =>
    ids[[...rules, ...directories].findIndex((each) => each.id === id)] ?? id;
  return [
    all,
    [
      paint('bold', 'Rules'),
      ...(rules.length === 0 ? ['  none'] : columns(rules.map((rule) => standingRow(rule, idOf, paint)))),
      paint('bold', 'Policy for all sessions'),
      ...ruleLines(inForce.policy.rules, paint),
      ...directories.flatMap((each) => [
        `${paint('bold', oneLine(each.directory))} ${paint('dim', idOf(each.id))} ${stateOf(each)}`,
        ...(each.problem === undefined ? [] : [paint('red', `  ${oneLine(each.problem)}`)]),
        ...ruleLines(each.policy?.rules ?? [], paint),
        ...(each.held.length === 0 ? [] : ['  held from earlier versions:', ...ruleLines(each.held, paint)]),
      ]),
    ],
  ];
}

const standingRow = (rule: StandingRule, idOf: (id: string) => string, paint: Paint): string[] => [
  `  ${paint('dim', idOf(rule.id))}`,
  ...ruleColumns(rule, paint),
  paint('dim', rule.scope === 'session' ? 'in one session' : 'in all'),
];

const colours = { allow: 'green', ask: 'yellow', deny: 'red' } as const;

const ruleColumns = (rule: Omit<PolicyRule, 'cwd'>, paint: Paint): string[] => [
  paint(colours[rule.effect], rule.effect),
  oneLine(rule.tool),
  rule.pattern === undefined ? paint('dim', 'every call') : visibleLine(rule.pattern),
  paint('dim', oneLine(rule.reason ?? '')),
];

const ruleLines = (rules: readonly PolicyRule[], paint: Paint): string[] =>
  rules.length === 0
    ? ['  no rules']
    : columns(
        rules.map((rule, index) => [
          `  ${index + 1}`,
          ...ruleColumns(rule, paint),
          paint('dim', rule.cwd === undefined ? '' : `in ${oneLine(rule.cwd)}`),
        ]),
      );

const stateOf = ({ trusted, needsTrust, problem }: DirectoryPolicy): string => {
  if (problem !== undefined) return 'cannot be read: everything there is asked';
  if (trusted !== null) return 'trusted';
  return needsTrust ? 'not trusted: what it allows does not hold' : 'holds';
};

async function tryFile({ flags, console, paint, connect }: Call, file: string | undefined): Promise<Told> {
  const draft = await read(file, console);
  const given = textFlag(flags, 'days');
  const days = given === undefined ? undefined : Number(given);
  if (days !== undefined && !(Number.isInteger(days) && days >= 1 && days <= 366))
    throw new UsageError(`--days wants a number from 1 to 366, not "${given}"`);
  const trial = await (await connect()).tryPolicy({ policy: draft, ...(days !== undefined && { days }) });
  return [trial, trialLines(trial, draft, paint)];
}

function trialLines(trial: PolicyTrial, { rules }: Policy, paint: Paint): string[] {
  const { before, after, days, asks, contradictions } = trial;
  const otherwise = contradictions.map(({ rule, decided, times, toolName, subject }) => {
    const by = rule === null ? 'what holds besides' : `rule ${rule + 1}`;
    const would = decided === 'denied' ? 'allow' : 'deny';
    return `  you ${decided} this ${counted(times, 'time')}, ${by} would ${would} it: ${oneLine(toolName)} ${shortened(visibleLine(subject), 100)}`;
  });
  return [
    ...(otherwise.length === 0 ? [] : [paint('yellow', 'Otherwise than you decided'), ...otherwise]),
    `Of ${counted(asks, 'ask')} in ${counted(days, 'day')}, ${after.asked} would come to you (${before.asked} did), ${after.allowed} be allowed, ${after.denied} be denied.`,
    ...columns(
      rules.map((rule, index) => [
        `  ${index + 1}`,
        ...ruleColumns(rule, paint).slice(0, 3),
        `decides ${trial.rules[index]?.decided ?? 0}`,
        paint('dim', `fits ${trial.rules[index]?.matched ?? 0}`),
      ]),
    ),
  ];
}

async function set({ console, connect }: Call, file: string | undefined): Promise<Told> {
  const draft = await read(file, console);
  const inForce = await (await connect()).setPolicy({ policy: draft });
  return [{ policy: inForce }, [`In effect: ${counted(draft.rules.length, 'rule')}.`]];
}

async function read(file: string | undefined, console: Console): Promise<Policy> {
  if (file === undefined) throw new UsageError('which file? Name it, or "-" for the input');
  const content =
    file === '-'
      ? await textOf(['-'], console)
      : await readFile(file, 'utf8').catch((error: unknown) => {
          throw new Failure(`the file cannot be read: ${messageOf(error)}`);
        });
  const result = readPolicy(content);
  if (result.ok) return result.policy;
  throw new Failure(
    [`${file} is no policy:`, ...result.faults.map((each) => `  ${each}`)].join('\n'),
    'invalid_policy',
  );
}

/** Nothing is trusted that was not shown: here, or to whoever names its digest. */
async function trust({ flags, console, paint, connect }: Call, id: string | undefined): Promise<Told> {
  const transport = await connect();
  const found = await find(transport, id);
  const digest = textFlag(flags, 'digest') ?? (await shownDigest(found, { flags, console, paint }));
  const trusted = await transport.trustPolicy(found.id, { digest });
  return [{ policy: trusted }, [`${oneLine(trusted.directory)} is trusted as it is now.`]];
}

async function find(transport: HttpTransport, id: string | undefined): Promise<DirectoryPolicy> {
  if (id === undefined)
    throw new UsageError('which policy? Its id is missing ("beckon policy show" lists them)');
  const { directories } = await transport.rules();
  const like = directories.filter((each) => each.id === id || isShortFor(each.id, id));
  const [found] = like;
  if (found === undefined || like.length > 1)
    throw new Failure(
      `${like.length} policies of directories have the id "${oneLine(id)}"`,
      'policy_not_found',
    );
  return found;
}

async function shownDigest(
  { directory, text, held, problem }: DirectoryPolicy,
  {
    flags,
    console,
    paint,
  }: { readonly flags: ParsedFlags; readonly console: Console; readonly paint: Paint },
): Promise<string | null> {
  const { stdin, stdout } = console;
  if (problem !== undefined) throw new Failure(oneLine(problem));
  if (!stdin.isTTY || !stdout.isTTY || isSet(flags, 'json'))
    throw new UsageError('nobody can be asked here: name the --digest of the content that you have seen');
  const lines = [
    paint('bold', `${oneLine(directory)}/.beckon/policy.json`),
    ...(text === null ? ['  The file is gone.'] : text.split('\n').map((line) => `  ${visibleLine(line)}`)),
    ...(held.length === 0
      ? []
      : [paint('yellow', 'With this, these hold no longer:'), ...ruleLines(held, paint)]),
  ];
  stdout.write(`${lines.join('\n')}\n`);
  const asking = createInterface({ input: stdin, output: stdout, terminal: true });
  try {
    const said = await asking.question('Type "trust" to let it hold: ');
    if (said.trim() !== 'trust') throw new Failure('nothing was trusted');
  } finally {
    asking.close();
  }
  return text === null ? null : policyDigest(text);
}

import { actsUnasked } from '../../model/asking.ts';
import type { Agent } from '../../protocol/session.ts';
import type { ToolProblem } from '../../protocol/tool.ts';
import { textFlag } from '../flags.ts';
import { columns } from '../render/columns.ts';
import { age } from '../render/measures.ts';
import type { Paint } from '../render/paint.ts';
import { oneLine } from '../render/safe-text.ts';
import { shortIds } from '../render/short-ids.ts';
import { modeWords } from '../server-lines.ts';
import { clientCommand, isShortFor } from './client-command.ts';

export const agents = clientCommand({
  usage: 'agents',
  help: `Lists the agents: whether they can be started here or how to install them, how to sign in, in which mode they start unless a
session says another, whether they ask before they act, and which of them end with the server.`,
  async run({ paint, connect }) {
    const list = await (await connect()).agents();
    return [{ agents: list }, list.flatMap((agent) => agentLines(agent, paint))];
  },
});

function agentLines(agent: Agent, paint: Paint): string[] {
  const {
    name,
    label,
    available,
    version,
    reason,
    install,
    capabilities,
    defaultPermissionMode: mode,
  } = agent;
  if (!available && install !== undefined)
    return [`${name}  ${oneLine(label)}  ${paint('dim', `not installed: ${oneLine(install)}`)}`];
  const state = available
    ? paint('green', oneLine(version ?? 'available'))
    : paint('red', oneLine(reason ?? 'not available'));
  const start = mode === undefined ? '' : `  ${modeWords(mode)}`;
  const end = capabilities.outlivesServer === false ? '  ends with the server' : '';
  const asking = askingWords(agent);
  return [
    `${name}  ${oneLine(label)}  ${state}${start}${end}`,
    ...(asking === undefined ? [] : [`  ${paint('yellow', asking)}`]),
    ...(available && agent.signIn ? [paint('dim', `  sign in: ${signInWords(agent.signIn)}`)] : []),
  ];
}

/** Undefined where it asks, or nothing is known of it. */
function askingWords(agent: Agent): string | undefined {
  const asking = actsUnasked(agent);
  if (asking === undefined) return undefined;
  const how = asking.byDefault === 'never' ? 'never asks before it acts' : 'asks only now and then';
  const { mode, variable } = asking;
  const remedy =
    mode !== undefined
      ? `: the mode "${mode}" asks`
      : variable !== undefined
        ? `: with ${variable.name}='${variable.value}' in its environment it asks`
        : '';
  return oneLine(`${how}${remedy}`);
}

const signInWords = ({ command, variable }: NonNullable<Agent['signIn']>): string =>
  oneLine(
    [command && `"${command}" in a terminal`, variable && `a key in ${variable}`]
      .filter(Boolean)
      .join(', or '),
  );

export const tools = clientCommand({
  usage: 'tools',
  help: 'Lists the interactive tools that agents can call, and what is wrong with those that they cannot.',
  async run({ paint, connect }) {
    const catalogue = await (await connect()).tools();
    const width = Math.max(0, ...catalogue.tools.map(({ name }) => name.length));
    const lines = [
      ...catalogue.tools.map(({ name, description, source, askFirst }) => {
        const asks = askFirst ? 'the agent asks first  ' : '';
        return `${oneLine(name).padEnd(width)}  ${asks}${oneLine(description)}  ${paint('dim', oneLine(source))}`;
      }),
      ...catalogue.problems.map((problem) => paint('red', problemLine(problem))),
    ];
    return [{ ...catalogue }, lines];
  },
});

function problemLine({ file, tool, line, error }: ToolProblem): string {
  const place = line === undefined ? file : `${file}:${line}`;
  return oneLine(`${place}${tool === undefined ? '' : ` (${tool})`}: ${error}`);
}

export const devices = clientCommand({
  usage: 'devices [--remove ID]',
  help: 'Lists the paired browsers: id, name, since when, and when each was last seen.',
  flags: { remove: { type: 'string' } },
  flagsHelp: '  --remove ID       unpair this one and end its connections; the id may be shortened',
  async run({ flags, connect }) {
    const transport = await connect();
    const remove = textFlag(flags, 'remove');
    if (remove !== undefined) {
      const like = (await transport.devices()).filter(({ id }) => isShortFor(id, remove));
      await transport.removeDevice(like.length === 1 && like[0] ? like[0].id : remove);
    }
    const list = await transport.devices();
    const ids = shortIds(list.map(({ id }) => id));
    const now = Date.now();
    const lines = columns(
      list.map(({ name, createdAt, lastSeenAt }, index) => [
        ids[index] ?? '',
        oneLine(name),
        `paired ${ago(createdAt, now)}`,
        `seen ${ago(lastSeenAt, now)}`,
      ]),
    );
    return [{ devices: list }, lines.length === 0 ? ['No browser is paired.'] : lines];
  },
});

function ago(since: string, now: number): string {
  const passed = age(since, now);
  return passed === 'now' ? passed : `${passed} ago`;
}

export const pair = clientCommand({
  usage: 'pair',
  help: 'Prints a link that lets one more browser in, once.',
  async run({ connect }) {
    const link = await (await connect()).pairingLink();
    return [
      { ...link },
      [link.url, ...(link.localUrl === undefined ? [] : [`on this machine: ${link.localUrl}`])],
    ];
  },
});

import type { ToolProblem } from '../../protocol/tool.ts';
import { oneLine } from '../render/safe-text.ts';
import { modeWords } from '../server-lines.ts';
import { clientCommand } from './client-command.ts';

export const agents = clientCommand({
  usage: 'agents',
  help: `Lists the agents, whether they can be started here, in which mode unless a session says another, and which of them end
with the server.`,
  async run({ paint, connect }) {
    const list = await (await connect()).agents();
    const lines = list.map((agent) => {
      const { name, label, available, version, reason, capabilities, defaultPermissionMode: mode } = agent;
      const state = available
        ? paint('green', oneLine(version ?? 'available'))
        : paint('red', oneLine(reason ?? 'not available'));
      const start = mode === undefined ? '' : `  ${modeWords(mode)}`;
      const end = capabilities.outlivesServer === false ? '  ends with the server' : '';
      return `${name}  ${oneLine(label)}  ${state}${start}${end}`;
    });
    return [{ agents: list }, lines];
  },
});

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

export const pair = clientCommand({
  usage: 'pair',
  help: 'Prints a link that lets one more browser in, once.',
  async run({ connect }) {
    const link = await (await connect()).pairingLink();
    return [{ ...link }, [link.url]];
  },
});

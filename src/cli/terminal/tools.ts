import type { ToolProblem } from '../../protocol/tool.ts';
import type { Command } from '../command.ts';
import { paintFor } from '../render/paint.ts';
import { oneLine } from '../render/safe-text.ts';
import { clientFlags, clientFlagsHelp, connect, print } from './connect.ts';

export const tools: Command = {
  usage: 'tools',
  help: `Lists the interactive tools that agents can call, and what is wrong with those that they cannot.\n\n${clientFlagsHelp}`,
  flags: clientFlags,
  async run(flags, console) {
    const paint = paintFor(console.stdout);
    const catalogue = await (await connect(flags, console)).tools();
    const width = Math.max(0, ...catalogue.tools.map(({ name }) => name.length));
    const lines = [
      ...catalogue.tools.map(({ name, description, source, askFirst }) => {
        const asks = askFirst ? 'the agent asks first  ' : '';
        return `${oneLine(name).padEnd(width)}  ${asks}${oneLine(description)}  ${paint('dim', oneLine(source))}`;
      }),
      ...catalogue.problems.map((problem) => paint('red', problemLine(problem))),
    ];
    print(console, flags, { ...catalogue }, lines);
    return 0;
  },
};

function problemLine({ file, tool, line, error }: ToolProblem): string {
  const place = line === undefined ? file : `${file}:${line}`;
  return oneLine(`${place}${tool === undefined ? '' : ` (${tool})`}: ${error}`);
}

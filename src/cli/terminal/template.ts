import type { Transport } from '../../client/transport.ts';
import { blanksIn, withBlanks } from '../../model/template.ts';
import type { Template } from '../../protocol/template.ts';
import type { Console } from '../console.ts';
import { Failure, UsageError } from '../failure.ts';
import { isSet, onlyWith, type ParsedFlags, pairsFlag, textFlag } from '../flags.ts';
import { columns } from '../render/columns.ts';
import { shortened } from '../render/measures.ts';
import { oneLine } from '../render/safe-text.ts';
import { clientCommand } from './client-command.ts';
import { isTerminal, readLines } from './screen.ts';

export const templates = clientCommand({
  usage: 'templates',
  help: 'Lists the prompts that were kept as templates, with their blanks. "beckon new --template NAME" starts a session with one.',
  async run({ paint, connect }) {
    const list = await (await connect()).templates();
    const rows = list.map(({ name, prompt, machine }) => [
      oneLine(machine === undefined ? name : `${name} (on ${machine})`),
      blanksIn(prompt).map(oneLine).join(', '),
      paint('dim', shortened(oneLine(prompt), 80)),
    ]);
    return [{ templates: list }, rows.length === 0 ? ['There are no templates.'] : columns(rows)];
  },
});

/** The template that was named, its blanks filled in: by --set, else by the person at the terminal. */
export async function chosenTemplate(
  flags: ParsedFlags,
  console: Console,
  transport: Transport,
): Promise<Pick<Template, 'prompt' | 'machine' | 'worktree'> | undefined> {
  const name = textFlag(flags, 'template');
  const given = new Map(pairsFlag(flags, 'set'));
  onlyWith(flags, 'template', 'set');
  if (name === undefined) return undefined;
  const template = await find(transport, name);
  const blanks = blanksIn(template.prompt);
  const unknown = [...given.keys()].filter((each) => !blanks.includes(each));
  if (unknown.length > 0) throw new UsageError(`${wordsFor(template)}, and no "${unknown[0]}"`);
  const missing = blanks.filter((each) => !given.get(each)?.trim());
  const typed = await ask(missing, template, flags, console);
  return { ...template, prompt: withBlanks(template.prompt, Object.fromEntries([...given, ...typed])) };
}

async function find(transport: Transport, name: string): Promise<Template> {
  const list = await transport.templates();
  const found =
    list.find((template) => template.name === name) ??
    list.find((template) => template.name.toLowerCase() === name.toLowerCase());
  if (found !== undefined) return found;
  const names = list.map((template) => `"${oneLine(template.name)}"`).join(', ');
  throw new Failure(
    `no template is called "${oneLine(name)}"; there ${names === '' ? 'are none' : `is ${names}`}`,
  );
}

const wordsFor = ({ name, prompt }: Template): string => {
  const blanks = blanksIn(prompt).map((each) => `"${oneLine(each)}"`);
  return `the template "${oneLine(name)}" has ${blanks.length === 0 ? 'no blanks' : `the blanks ${blanks.join(', ')}`}`;
};

async function ask(
  missing: readonly string[],
  template: Template,
  flags: ParsedFlags,
  console: Console,
): Promise<readonly (readonly [string, string])[]> {
  if (missing.length === 0) return [];
  if (!isTerminal(console) || isSet(flags, 'json')) {
    const examples = missing.map((each) => `--set "${oneLine(each)}=…"`).join(' ');
    throw new UsageError(`${wordsFor(template)}; these are missing: ${examples}`);
  }
  const typed: (readonly [string, string])[] = [];
  const isFilled = await readLines(console, {
    prompt: () => `${oneLine(missing[typed.length] ?? '')}: `,
    take(line) {
      const name = missing[typed.length];
      if (name !== undefined && line.trim() !== '') typed.push([name, line.trim()]);
      return typed.length === missing.length;
    },
  });
  if (!isFilled) throw new Failure('nothing was started: a blank was left empty');
  return typed;
}

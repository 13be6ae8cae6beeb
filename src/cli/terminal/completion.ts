import type { Command, CommandTable } from '../command.ts';
import type { Console } from '../console.ts';
import { UsageError } from '../failure.ts';
import type { ParsedFlags } from '../flags.ts';
import { connect } from './client-command.ts';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

export const completion: Command = {
  usage: 'completion bash|zsh|fish',
  help: `Prints a script with which the shell completes commands, flags, sessions and what is open:
  bash    source <(beckon completion bash)        in ~/.bashrc
  zsh     source <(beckon completion zsh)         in ~/.zshrc, after compinit
  fish    beckon completion fish | source         in ~/.config/fish/config.fish`,
  flags: {},
  mostWords: 1,
  async run({ positionals: [name = ''] }, console) {
    const shell = shells.find((each) => each === name);
    if (shell === undefined) throw new UsageError(`say for which shell: ${shells.join(', ')}`);
    console.stdout.write(scripts[shell]);
    return 0;
  },
};

/** Each asks this program for what may come next: the words so far, the last of them as far as it is typed. */
const scripts: Readonly<Record<Shell, string>> = {
  bash: `_beckon() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$("\${COMP_WORDS[0]}" complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _beckon beckon
`,
  zsh: `_beckon() {
  local -a found
  found=("\${(@f)$("\${words[1]}" complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -a found
  (( \${#found} )) || _files
}
compdef _beckon beckon
`,
  fish: `complete -c beckon -f -a '(beckon complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`,
};

/** What the scripts call, as `complete -- WORDS…`: prints what the last of the words may become, one a line. */
export async function complete(
  [, , ...words]: readonly string[],
  commands: CommandTable,
  console: Console,
): Promise<number> {
  const found = await candidates(words, commands, console);
  const typed = words.at(-1) ?? '';
  const fitting = found.filter((each) => each.startsWith(typed));
  console.stdout.write(fitting.map((each) => `${each}\n`).join(''));
  return 0;
}

/** All that may stand in the place of the last of the words. */
export async function candidates(
  words: readonly string[],
  commands: CommandTable,
  console: Console,
): Promise<readonly string[]> {
  const [name = '', ...others] = words;
  if (others.length === 0) return Object.keys(commands);
  const [, load] = (Object.hasOwn(commands, name) ? commands[name] : undefined) ?? [];
  if (load === undefined) return [];
  const command = await load();
  if (others.at(-1)?.startsWith('-')) return Object.keys(command.flags).map((flag) => `--${flag}`);
  return named(command, others, console).catch(() => []);
}

/** Sessions or open interactions, where the usage says that one is named next; without a server, nothing. */
async function named(
  { usage }: Command,
  words: readonly string[],
  console: Console,
): Promise<readonly string[]> {
  const wanted = usage.split(' ')[1] ?? '';
  const isFirst = words.length === 1;
  const isSession = wanted === 'SESSION…' || (/^\[?SESSION\]?$/.test(wanted) && isFirst);
  const isInteraction = wanted === '[ID]' && isFirst;
  if (!isSession && !isInteraction) return [];
  const transport = await connect(noFlags, console, { timeoutMs: patienceMs });
  if (isInteraction) return (await transport.pending()).map(({ interactionId }) => interactionId);
  const { sessions } = await transport.sessionPage({ limit: mostSessions });
  return sessions.flatMap(({ id, key }) => (key === null ? id : [key, id]));
}

const patienceMs = 1_000;
const mostSessions = 200;
const noFlags: ParsedFlags = { values: {}, positionals: [], ordered: [] };

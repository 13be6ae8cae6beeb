import type { Transport } from '../../client/transport.ts';
import { matchingCommands, mentionOf, typedMention, typedName } from '../../model/mentions.ts';
import type { CommandTable } from '../command.ts';
import type { Console } from '../console.ts';
import { candidates } from './completion.ts';
import type { Completer } from './line-editor.ts';

const mostFiles = 50;

/** In a message: the agent's commands at a slash, files of the session's directory at an @. */
export const completeMessage =
  (transport: Pick<Transport, 'agentCommands' | 'files'>, sessionId: string): Completer =>
  async (text, at) => {
    const name = at === text.length ? typedName(text) : undefined;
    if (name !== undefined) {
      const commands = matchingCommands(await transport.agentCommands(sessionId), name);
      return {
        from: 0,
        candidates: commands.map(({ name: each, hint, description }) => ({
          text: `/${each} `,
          hint: [hint, description].filter((part) => part !== undefined && part !== '').join('  '),
        })),
      };
    }
    const mention = typedMention(text, at);
    if (mention === undefined) return undefined;
    const { files } = await transport.files(sessionId, { q: mention.typed, limit: mostFiles });
    return { from: mention.start, candidates: files.map((path) => ({ text: `${mentionOf(path)} ` })) };
  };

/** In a command line without "beckon": what the shell would complete. */
export const completeCommandLine =
  (commands: CommandTable, console: Console): Completer =>
  async (text, at) => {
    const words = text.slice(0, at).split(/\s+/);
    const typed = words.at(-1) ?? '';
    const found = await candidates(words, commands, console);
    // Ids may be typed without their tag.
    const fitting = found.filter((each) => each.startsWith(typed) || isIdWithout(each, typed));
    return { from: at - typed.length, candidates: fitting.map((each) => ({ text: `${each} ` })) };
  };

const isIdWithout = (id: string, typed: string): boolean =>
  typed !== '' && id.slice(id.indexOf('_') + 1).startsWith(typed);

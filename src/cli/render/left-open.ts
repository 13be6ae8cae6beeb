import type { LeftOpen } from '../../protocol/interaction.ts';
import { oneLine } from './safe-text.ts';

/** Why the agent goes on while the ask stays, and where the answer will go. */
export function leftOpenNote({ cause, message }: LeftOpen): string {
  const why =
    cause === 'tool' ? 'the tool does not wait for it' : 'the tool that asked ended with the server';
  const words = message === undefined ? '' : ` (${oneLine(message)})`;
  return `stays open, but ${why}${words}; your answer will reach the agent as a message`;
}

import { whoOf } from '../../model/who.ts';
import type { Actor } from '../../protocol/interaction.ts';
import { oneLine } from './safe-text.ts';

/** Who decided, to follow what was decided. Whoever has the token need not be a person. */
export function whoText(by: Actor): string {
  const who = whoOf(by);
  switch (who.is) {
    case 'device':
      return `by ${oneLine(who.name)}`;
    case 'terminal':
      return `in the terminal ${oneLine(who.name)}`;
    case 'token':
      return who.client === undefined ? 'with the token' : `with the token (${oneLine(who.client)})`;
    case 'library':
      return 'through the library';
    case 'somebody':
      return 'somewhere else';
    case 'grant':
      return 'by a standing approval';
    case 'timer':
      return 'by the time limit';
    case 'agent':
      return 'by the agent';
    case 'server':
      return 'by the server';
  }
}

import { whoOf } from '../../model/who.ts';
import type { Actor } from '../../protocol/interaction.ts';
import type { Translate } from '../i18n/i18n.ts';
import { oneLine } from '../text/plain-text.ts';

/** Who decided; nothing where the outcome says it. Whoever has the token need not be a person. */
export function whoText(t: Translate, by: Actor): string | null {
  const who = whoOf(by);
  switch (who.is) {
    case 'device':
      return t('who.device', { name: oneLine(who.name) });
    case 'terminal':
      return t('who.terminal', { name: oneLine(who.name) });
    case 'token':
      return who.client === undefined ? t('who.token') : t('who.tokenNamed', { client: oneLine(who.client) });
    case 'library':
      return t('who.library');
    case 'grant':
      return t('who.grant');
    case 'somebody':
    case 'timer':
    case 'agent':
    case 'server':
      return null;
  }
}

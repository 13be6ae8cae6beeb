import { BeckonError } from '../../client/beckon-error.ts';
import type { Translate } from '../i18n/i18n.ts';
import { saysMore } from '../i18n/refusals.ts';

/** What happened and what to do, for a person. The server's own sentences are plain enough to be shown where no other are known. */
export function errorText(t: Translate, error: unknown): string {
  if (!(error instanceof BeckonError)) return error instanceof Error ? error.message : String(error);
  if (error.code === 'unreachable') return t('error.unreachable');
  if (error.details.holds === 'until-restart') return t('error.untilRestart');
  const told = t.refusals[error.code];
  if (told === undefined) return error.message;
  return saysMore.has(error.code) ? `${told} ${error.message}` : told;
}

import type { Capabilities } from '../../protocol/session.ts';
import type { MessageKey, Translate } from '../i18n/i18n.ts';

const known: Readonly<Record<string, MessageKey>> = {
  default: 'mode.default',
  acceptEdits: 'mode.acceptEdits',
  plan: 'mode.plan',
  auto: 'mode.auto',
  dontAsk: 'mode.dontAsk',
  bypassPermissions: 'mode.bypassPermissions',
};

/** A permission mode in words: as the agent names it, or as it is known here. */
export function modeLabel(t: Translate, mode: string, capabilities?: Capabilities | null): string {
  const named = capabilities?.modes?.find(({ value }) => value === mode);
  if (named) return named.label;
  const key = Object.hasOwn(known, mode) ? known[mode] : undefined;
  return key === undefined ? mode : t(key);
}

import type { MessageKey, Translate } from '../i18n/i18n.ts';

const known: Readonly<Record<string, MessageKey>> = {
  default: 'mode.default',
  acceptEdits: 'mode.acceptEdits',
  plan: 'mode.plan',
  auto: 'mode.auto',
  dontAsk: 'mode.dontAsk',
  bypassPermissions: 'mode.bypassPermissions',
};

/** A permission mode in words; one that is not known here is shown as the agent calls it. */
export function modeLabel(t: Translate, mode: string): string {
  const key = Object.hasOwn(known, mode) ? known[mode] : undefined;
  return key === undefined ? mode : t(key);
}

import type { Actor, Decision, Outcome } from '../protocol/interaction.ts';

/** Who decided, told apart by what is known for certain. A `client` is only what the caller calls itself. */
export type Who =
  | { readonly is: 'device' | 'terminal'; readonly name: string }
  | { readonly is: 'token' | 'library'; readonly client: string | undefined }
  | { readonly is: 'somebody' | 'grant' | 'trust' | 'rule' | 'timer' | 'agent' | 'server' };

export function whoOf({ kind, via, device, terminal, client, where, trust }: Actor): Who {
  if (kind === 'grant' && trust === true) return { is: 'trust' };
  if (kind !== 'person') return { is: kind };
  if (device !== undefined) return { is: 'device', name: device.name };
  if (terminal !== undefined) return { is: 'terminal', name: terminal };
  if (via === 'token' || via === 'library') return { is: via, client };
  return whoInOlderLog(where);
}

/** Before there was more, a place was all that was written down. */
function whoInOlderLog(where: string | undefined): Who {
  if (where === undefined) return { is: 'somebody' };
  if (where === 'api') return { is: 'token', client: undefined };
  return where === 'same process' ? { is: 'library', client: undefined } : { is: 'device', name: where };
}

/** The outcome that a decision would have had if it were known to have arrived. */
export function outcomeOf(decision: Decision, { kind }: Actor): Exclude<Outcome, 'unknown'> {
  if (kind === 'timer') return 'expired';
  switch (decision.type) {
    case 'allow':
      return 'allowed';
    case 'deny':
      return 'denied';
    case 'answer':
      return 'answered';
    case 'submit':
      return 'submitted';
    case 'dismiss':
      return 'dismissed';
  }
}

/** A grant or a rule decided, at once: nobody was asked. */
export const isByItself = ({ kind }: Actor): boolean => kind === 'grant' || kind === 'rule';

import { canBeGranted, subjectOf } from '../../model/grants.ts';
import { matches } from '../../model/pattern.ts';
import type { Interaction, Subject } from '../../protocol/interaction.ts';
import type { GrantEnd } from './draft.logic.ts';

/**
 * What needs a person each time is offered no standing approval. The rule is the model's; the agent's own id has no part in it.
 * A tool that asks by itself keeps what was approved for good in its own words.
 */
export const isGrantable = (interaction: Interaction): boolean =>
  interaction.tool === undefined && canBeGranted({ ...interaction, agentRequestId: '' });

/** Patterns worth a press, from the narrowest on: exactly this, then wider ones that still match it. */
export function patternChoices(interaction: Pick<Interaction, 'subject' | 'input'>): string[] {
  const subject = subjectOf(interaction);
  const wider = widened(subject).filter((pattern) => matches(pattern, subject));
  return [...new Set([subject.value, ...wider])];
}

function widened({ kind, value }: Subject): string[] {
  switch (kind) {
    case 'command': {
      const words = value.split(' ');
      return [words.slice(0, 2), words.slice(0, 1)]
        .filter((taken) => taken.length < words.length)
        .map((taken) => `${taken.join(' ')} *`);
    }
    case 'path': {
      const folder = value.slice(0, value.lastIndexOf('/'));
      return folder === '' ? [] : [`${folder}/*`];
    }
    case 'host': {
      const names = value.split('.');
      return names.length > 2 ? [`*.${names.slice(1).join('.')}`] : [];
    }
    case 'input':
      return [];
  }
}

/** Whether the pattern would let through what is asked now; if it does not, nothing would be saved. */
export const covers = (pattern: string, interaction: Pick<Interaction, 'subject' | 'input'>): boolean =>
  pattern.trim() !== '' && matches(pattern, subjectOf(interaction));

const hour = 3_600_000;
const lengths: Readonly<Record<Exclude<GrantEnd, 'never'>, number>> = {
  hour,
  day: 24 * hour,
  week: 7 * 24 * hour,
};

export const expiresAtOf = (end: GrantEnd, now: number): string | undefined =>
  end === 'never' ? undefined : new Date(now + lengths[end]).toISOString();

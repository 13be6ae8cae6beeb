import { canBeGranted, subjectOf } from '../../model/grants.ts';
import { matches } from '../../model/pattern.ts';
import type { Interaction } from '../../protocol/interaction.ts';
import type { GrantEnd } from './draft.logic.ts';

/**
 * What needs a person each time is offered no standing approval. The rule is the model's; the agent's own id has no part in it.
 * A tool that asks by itself keeps what was approved for good in its own words.
 */
export const isGrantable = (interaction: Interaction): boolean =>
  interaction.tool === undefined && canBeGranted({ ...interaction, agentRequestId: '' });

/** The pattern that covers exactly what is asked; wider ones are the server's to offer. */
export const exactPattern = (interaction: Pick<Interaction, 'subject' | 'input'>): string =>
  subjectOf(interaction).value;

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

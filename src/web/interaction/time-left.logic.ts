import type { Interaction } from '../../protocol/interaction.ts';

/**
 * What is left until the server ends it; undefined without a limit. A browser's clock that is wrong must not
 * promise more than the whole time, nor less than none.
 */
export function leftOf(
  { expiresAt, createdAt }: Pick<Interaction, 'expiresAt' | 'createdAt'>,
  now: number,
): number | undefined {
  if (expiresAt === undefined) return undefined;
  const whole = Date.parse(expiresAt) - Date.parse(createdAt);
  return Math.min(Math.max(0, Date.parse(expiresAt) - now), Math.max(0, whole));
}

import { z } from 'zod';
import type { InteractionOutcome } from '../sdk/interaction.ts';
import { ToolError } from '../sdk/tool-error.ts';

const keys = ['complete', 'reprompt', 'pending'] as const;
const Reprompt = z.looseObject({});
const Pending = z.object({ message: z.string(), queued: z.boolean().optional() });

/** A tool that forgets to say what follows must not leave a person, or the agent, waiting. */
export function checkOutcome(handler: 'onResponse' | 'onTimeout', outcome: unknown): InteractionOutcome {
  const given = keys.filter(
    (key) => typeof outcome === 'object' && outcome !== null && Object.hasOwn(outcome, key),
  );
  const [key, ...others] = given;
  if (key === undefined || others.length > 0) {
    throw wrong(handler, 'must give exactly one of {complete}, {reprompt} and {pending}');
  }
  const { reprompt, pending } = outcome as Record<string, unknown>;
  if (key === 'reprompt' && !Reprompt.safeParse(reprompt).success) {
    throw wrong(handler, 'gave a reprompt that is no object');
  }
  if (key === 'pending' && !Pending.safeParse(pending).success) {
    throw wrong(handler, 'gave a pending without a message');
  }
  return outcome as InteractionOutcome;
}

const wrong = (handler: string, what: string) => new ToolError('invalid_outcome', `${handler} ${what}.`);

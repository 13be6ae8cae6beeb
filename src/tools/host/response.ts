import type { Decision } from '../../protocol/interaction.ts';
import type { FieldValue } from '../sdk/field.ts';
import type { InteractionResponse } from '../sdk/interaction.ts';
import { ToolError } from '../sdk/tool-error.ts';

export interface Said {
  readonly response: InteractionResponse;
  /** What was filled in, where something could be. */
  readonly values: Readonly<Record<string, unknown>> | undefined;
}

/** A person's decision, as a tool hears it: an approval is approved or denied, a form submitted or cancelled. */
export function responseTo(kind: 'approval' | 'form', decision: Decision): Said {
  switch (decision.type) {
    case 'allow': {
      const { scope, values = {} } = decision;
      return {
        response: { action: 'approve', approvalScope: scope, input: asInput(values) },
        values: decision.values,
      };
    }
    case 'deny': {
      const action = kind === 'form' ? 'cancel' : 'deny';
      return { response: { action, reason: decision.message }, values: undefined };
    }
    case 'submit':
      return {
        response: { action: 'submit', input: asInput(decision.values) },
        values: decision.values,
      };
    case 'dismiss':
      return { response: { action: 'cancel', reason: decision.message }, values: undefined };
    case 'answer':
      throw new ToolError('tool_failed', 'The answer was one to a question, and a tool asks none.');
  }
}

/** Checked against the form before it was stored. */
const asInput = (values: Readonly<Record<string, unknown>>) => ({ ...values }) as Record<string, FieldValue>;

import type { ToolAsk } from '../../engine/ports/tool-desk.ts';
import { checkForm } from '../../model/form.ts';
import { accept, type Result, refuse } from '../../protocol/errors.ts';
import type { ApprovalScope, Decision, Outcome } from '../../protocol/interaction.ts';

/** What a person says, as a page sends it. */
export type PersonResponse =
  | {
      readonly action: 'approve';
      /** `once` when left out. */
      readonly approvalScope?: ApprovalScope;
      readonly input?: Readonly<Record<string, unknown>>;
    }
  | { readonly action: 'deny'; readonly reason?: string }
  | { readonly action: 'submit'; readonly input: Readonly<Record<string, unknown>> }
  | { readonly action: 'cancel'; readonly reason?: string };

/** Checked as the server checks it: what a person could not have sent does not reach the tool. */
export function decisionOn(
  { kind, form, approvalScopes = ['once'] }: ToolAsk,
  response: PersonResponse,
): Result<{ readonly decision: Decision; readonly outcome: Outcome }> {
  switch (response.action) {
    case 'approve': {
      const { approvalScope: scope = 'once', input = {} } = response;
      if (kind !== 'approval') return wrong('This form must be filled in, not allowed.');
      if (!approvalScopes.includes(scope)) {
        return refuse('invalid_value', `The scope "${scope}" is not offered.`, { field: 'approvalScope' });
      }
      if (form === undefined) {
        return Object.keys(input).length > 0
          ? refuse('invalid_value', 'There is nothing to fill in here.', { field: 'input' })
          : accept({ outcome: 'allowed', decision: { type: 'allow', scope } });
      }
      const values = checkForm(form, input);
      if (!values.ok) return values;
      return accept({ outcome: 'allowed', decision: { type: 'allow', scope, values: values.value } });
    }
    case 'deny': {
      const message = response.reason?.trim() || 'This was denied without a reason.';
      return accept({ outcome: 'denied', decision: { type: 'deny', message, interrupt: false } });
    }
    case 'submit': {
      if (kind !== 'form' || form === undefined) return wrong('This approval is no form to submit.');
      const values = checkForm(form, response.input);
      return values.ok
        ? accept({ outcome: 'submitted', decision: { type: 'submit', values: values.value } })
        : values;
    }
    case 'cancel': {
      if (kind === 'approval') return wrong('This approval cannot be dismissed: deny it.');
      const message = response.reason?.trim() || 'This was dismissed without an answer.';
      return accept({ outcome: 'dismissed', decision: { type: 'dismiss', message } });
    }
  }
}

const wrong = (why: string) => refuse('invalid_value', why);

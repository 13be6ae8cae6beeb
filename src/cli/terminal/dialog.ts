import type { AnswerQuestion, Approve, Respond } from '../../protocol/command.ts';
import type { InteractionId } from '../../protocol/ids.ts';
import type { Ask, LeftOpen } from '../../protocol/interaction.ts';
import { approvalDialog } from './approval-dialog.ts';
import { formDialog } from './form-dialog.ts';
import { questionDialog } from './question-dialog.ts';

/** What an event tells of an interaction; an `Interaction` has it, too. */
export type AskedInteraction = Omit<Ask, 'agentRequestId'> & {
  readonly interactionId: InteractionId;
  readonly leftOpen?: LeftOpen | undefined;
};

/** A conversation about one interaction, line by line, until it can be answered. */
export interface Dialog {
  /** The first thing to say. */
  readonly opening: string;
  take(line: string): DialogStep;
}

export type DialogStep =
  /** Say this and wait for another line. */
  | { readonly type: 'ask'; readonly text: string }
  | { readonly type: 'show-all' }
  | { readonly type: 'reply'; readonly reply: DialogReply };

export type DialogReply =
  | { readonly via: 'approve'; readonly body: Approve }
  | { readonly via: 'answer'; readonly body: AnswerQuestion }
  | { readonly via: 'respond'; readonly body: Respond };

export function dialogAbout(interaction: AskedInteraction): Dialog {
  switch (interaction.kind) {
    case 'approval':
      return approvalDialog(interaction);
    case 'question':
      return questionDialog(interaction);
    case 'form':
      return formDialog(interaction);
  }
}

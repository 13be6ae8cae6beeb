import type { Transport } from '../../client/transport.ts';
import type { Approve, GivenAnswers } from '../../protocol/command.ts';
import type { ApprovalScope, Interaction } from '../../protocol/interaction.ts';
import type { Session } from '../../protocol/session.ts';
import { digestOf } from './digest.ts';
import { type CardDraft, valuesOf } from './draft.logic.ts';
import { editedInput } from './edit.logic.ts';

type Send = (transport: Transport) => Promise<Interaction>;

/** Which ask is meant, and what it showed: an answer decides nothing else. */
const named = (interaction: Interaction) => ({
  requestId: interaction.requestId,
  shown: digestOf(interaction),
});
const namedResponse = (interaction: Interaction) => ({
  interactionId: interaction.interactionId,
  shown: digestOf(interaction),
});

/** Allows once, as it was asked. */
export const allowOnce =
  (interaction: Interaction): Send =>
  (transport) =>
    transport.approve(interaction.sessionId, { ...named(interaction), decision: 'allow', scope: 'once' });

export const allowForSession =
  (interaction: Interaction): Send =>
  (transport) =>
    transport.approve(interaction.sessionId, { ...named(interaction), decision: 'allow', scope: 'session' });

/** Allows what a pattern covers, for as long as a person said. */
export const allowAlways =
  (interaction: Interaction, grant: Pick<Approve, 'scope' | 'pattern' | 'expiresAt'>): Send =>
  (transport) =>
    transport.approve(interaction.sessionId, { ...named(interaction), decision: 'allow', ...grant });

/** Allows once, with the edit that a person made, if there is one. */
export function allowEdited(interaction: Interaction, draft: CardDraft): Send {
  const edited = editedInput(interaction, draft.edited);
  return (transport) =>
    transport.approve(interaction.sessionId, {
      ...named(interaction),
      decision: 'allow',
      scope: 'once',
      ...(edited.is === 'edited' ? { updatedInput: edited.input } : {}),
    });
}

/** Approves a plan, in the words a person left it in, to go on in the mode chosen. */
export function approvePlan(interaction: Interaction, draft: CardDraft, session: Session | undefined): Send {
  const mode = modeAfterPlan(session, draft);
  const edited = editedInput(interaction, draft.edited);
  return (transport) =>
    transport.approve(interaction.sessionId, {
      ...named(interaction),
      decision: 'allow',
      scope: 'once',
      ...(mode === undefined ? {} : { mode }),
      ...(edited.is === 'edited' ? { updatedInput: edited.input } : {}),
    });
}

/** Allows what a tool asks, within a scope that it offers, with what was filled in beside it. */
export function approveTool(interaction: Interaction, scope: ApprovalScope, draft: CardDraft): Send {
  const { sessionId, approvalScopes, form } = interaction;
  return (transport) =>
    transport.respond(sessionId, {
      ...namedResponse(interaction),
      action: 'approve',
      ...(approvalScopes === undefined ? {} : { approvalScope: scope }),
      ...(form === undefined || form.fields.length === 0 ? {} : { input: valuesOf(form, draft) }),
    });
}

const scopes: readonly ApprovalScope[] = ['once', 'session', 'always'];

/** The scopes that a tool offers, the narrowest first; without a word on it, this once. */
export function offeredScopes({ approvalScopes }: Interaction): readonly ApprovalScope[] {
  const offered = scopes.filter((scope) => approvalScopes?.includes(scope));
  return offered.length === 0 ? ['once'] : offered;
}

/** Submits what was filled in. */
export function submit(interaction: Interaction, draft: CardDraft): Send {
  const { form } = interaction;
  return submitValues(interaction, form === undefined ? {} : valuesOf(form, draft));
}

export const submitValues =
  (interaction: Interaction, input: Readonly<Record<string, unknown>>): Send =>
  (transport) =>
    transport.respond(interaction.sessionId, { ...namedResponse(interaction), action: 'submit', input });

export const answerWith =
  (interaction: Interaction, answers: GivenAnswers): Send =>
  (transport) =>
    transport.answer(interaction.sessionId, { ...named(interaction), answers });

export function deny(interaction: Interaction, reason: string, interrupt: boolean): Send {
  const { sessionId, tool } = interaction;
  const said = reason.trim();
  const why = said === '' ? {} : { reason: said };
  if (tool !== undefined)
    return (transport) =>
      transport.respond(sessionId, { ...namedResponse(interaction), action: 'deny', ...why });
  return (transport) =>
    transport.deny(sessionId, { ...named(interaction), ...why, ...(interrupt ? { interrupt } : {}) });
}

export const dismiss =
  (interaction: Interaction): Send =>
  (transport) =>
    transport.respond(interaction.sessionId, { ...namedResponse(interaction), action: 'cancel' });

/** The modes in which a plan can be carried out. */
export const modesAfterPlan = (session: Session | undefined): readonly string[] =>
  (session?.capabilities?.permissionModes ?? []).filter((mode) => mode !== 'plan');

/** Asking for each thing is what a plan is carried out in, unless a person chooses otherwise. */
export function modeAfterPlan(session: Session | undefined, { mode }: CardDraft): string | undefined {
  const modes = modesAfterPlan(session);
  return modes.find((each) => each === mode) ?? modes.find((each) => each === 'default');
}

import type { RoomCalls } from '../../client/calls.ts';
import { canBeGranted, subjectOf } from '../../model/grants.ts';
import { withValueAt } from '../../model/json-pointer.ts';
import { matches } from '../../model/pattern.ts';
import { shownDigest } from '../../model/shown-digest.ts';
import { editableOf, editBetween } from '../../model/tool-call.ts';
import type { Approve, GivenAnswers, Respond } from '../../protocol/command.ts';
import type { ApprovalScope, Interaction } from '../../protocol/interaction.ts';
import type { Session } from '../../protocol/session.ts';
import { type CardDraft, type GrantEnd, valuesOf } from './draft.logic.ts';

type Send = (transport: RoomCalls) => Promise<Interaction>;

/** Which ask is meant, and what it showed: an answer decides nothing else. */
const named = (interaction: Interaction) => ({
  requestId: interaction.requestId,
  shown: digestOf(interaction),
});

const allow =
  (interaction: Interaction, how: Omit<Approve, 'decision' | 'requestId'>): Send =>
  (transport) =>
    transport.approve(interaction.sessionId, { ...named(interaction), decision: 'allow', ...how });

const respond =
  (interaction: Interaction, answer: Omit<Respond, 'interactionId' | 'shown'>): Send =>
  (transport) =>
    transport.respond(interaction.sessionId, {
      interactionId: interaction.interactionId,
      shown: digestOf(interaction),
      ...answer,
    });

/** Allows once, as it was asked, in the way that was chosen. */
export function allowOnce(interaction: Interaction, draft: Pick<CardDraft, 'way'> = { way: null }): Send {
  const way = wayOf(interaction, draft);
  return allow(interaction, { scope: 'once', ...(way === undefined ? {} : { way }) });
}

export const allowForSession = (interaction: Interaction): Send => allow(interaction, { scope: 'session' });

/** Allows what a pattern covers, for as long as a person said. */
export const allowAlways = (
  interaction: Interaction,
  grant: Pick<Approve, 'scope' | 'pattern' | 'expiresAt' | 'onlyHere'>,
): Send => allow(interaction, grant);

/** Allows once, with the edit that a person made, if there is one. */
export function allowEdited(interaction: Interaction, draft: CardDraft, mode?: string): Send {
  const way = wayOf(interaction, draft);
  const edited = editedInput(interaction, draft.edited);
  return allow(interaction, {
    scope: 'once',
    ...(way === undefined ? (mode === undefined ? {} : { mode }) : { way }),
    ...(edited.is === 'edited' ? { updatedInput: edited.input } : {}),
  });
}

/** Approves a plan, in the words a person left it in, to go on in the mode chosen. */
export const approvePlan = (interaction: Interaction, draft: CardDraft, session: Session | undefined): Send =>
  allowEdited(interaction, draft, modeAfterPlan(session, draft));

/** Allows what a tool asks, within a scope that it offers, with what was filled in beside it. */
export function approveTool(interaction: Interaction, scope: ApprovalScope, draft: CardDraft): Send {
  const { approvalScopes, form } = interaction;
  return respond(interaction, {
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

export const submitValues = (interaction: Interaction, input: Readonly<Record<string, unknown>>): Send =>
  respond(interaction, { action: 'submit', input });

export const answerWith =
  (interaction: Interaction, answers: GivenAnswers): Send =>
  (transport) =>
    transport.answer(interaction.sessionId, { ...named(interaction), answers });

export function deny(interaction: Interaction, reason: string, interrupt: boolean): Send {
  const said = reason.trim();
  const why = said === '' ? {} : { reason: said };
  if (interaction.tool !== undefined) return respond(interaction, { action: 'deny', ...why });
  return (transport) =>
    transport.deny(interaction.sessionId, {
      ...named(interaction),
      ...why,
      ...(interrupt ? { interrupt } : {}),
    });
}

export const dismiss = (interaction: Interaction): Send => respond(interaction, { action: 'cancel' });

/** The way to allow it that a person chose, or sees chosen. */
export const wayOf = ({ ways = [] }: Interaction, { way }: Pick<CardDraft, 'way'>): string | undefined =>
  (ways.find(({ id }) => id === way) ?? ways[0])?.id;

/** The modes in which a plan can be carried out. */
export const modesAfterPlan = (session: Session | undefined): readonly string[] =>
  (session?.capabilities?.permissionModes ?? []).filter((mode) => mode !== 'plan');

/** Asking for each thing is what a plan is carried out in, unless a person chooses otherwise. */
export function modeAfterPlan(session: Session | undefined, { mode }: CardDraft): string | undefined {
  const modes = modesAfterPlan(session);
  return modes.find((each) => each === mode) ?? modes.find((each) => each === 'default');
}

type Input = Interaction['input'];

export type Edited =
  | { readonly is: 'same' }
  | { readonly is: 'edited'; readonly input: Input }
  | { readonly is: 'wrong'; readonly why: 'empty' | 'not-json' | 'not-an-object' };

/** The input with the edit in it; everything else stays as it was asked. */
export function editedInput(interaction: Interaction, text: string | null): Edited {
  const { what, at, text: original } = editableOf(interaction);
  if (text === null || text === original) return { is: 'same' };
  if (what === 'command' && text.trim() === '') return { is: 'wrong', why: 'empty' };
  if (what !== 'json') return { is: 'edited', input: withValueAt(interaction.input, at, text) };
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? { is: 'edited', input: parsed as Input }
      : { is: 'wrong', why: 'not-an-object' };
  } catch {
    return { is: 'wrong', why: 'not-json' };
  }
}

/** Before and after of what was decided on an edited input, for showing it as an edit. */
export function editOf(interaction: Interaction): ReturnType<typeof editBetween> | null {
  const { decision } = interaction;
  return decision?.type !== 'allow' || decision.updatedInput === undefined
    ? null
    : editBetween(interaction, decision.updatedInput);
}

const known = new WeakMap<Interaction, string>();

/** What an answer names as having been shown. An interaction is told anew with every connection, and drawn more often than that. */
function digestOf(interaction: Interaction): string {
  const digest = known.get(interaction) ?? shownDigest(interaction);
  known.set(interaction, digest);
  return digest;
}

/** Which ask it is, and what it shows. */
export const faceOf = (interaction: Interaction): string =>
  `${interaction.interactionId} ${digestOf(interaction)}`;

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

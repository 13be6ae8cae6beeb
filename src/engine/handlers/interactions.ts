import type { Response } from '../../model/command.ts';
import { warningsOf } from '../../model/grant-advice.ts';
import { subjectOf } from '../../model/grants.ts';
import { valuesOf } from '../../model/ordered-map.ts';
import type { LiveInteraction, SessionState } from '../../model/state.ts';
import { interactionOf } from '../../model/status.ts';
import { interactionFromLog, interactionView, pendingView } from '../../model/views.ts';
import {
  type AnswerQuestion,
  type Approve,
  type Deny,
  GivenAnswers,
  namesTarget,
  type Respond,
  type SubmitAnswers,
} from '../../protocol/command.ts';
import { accept, type Result, refuse } from '../../protocol/errors.ts';
import { GrantId, InteractionId } from '../../protocol/ids.ts';
import type { Interaction } from '../../protocol/interaction.ts';
import type { LiveSession } from '../live-session.ts';
import type { Caller, Clients, Reply } from '../ports/control-room.ts';
import type { EventLog } from '../ports/event-log.ts';
import { publicSuffixes } from '../public-suffix.ts';
import type { Handler, Params, Room } from './room.ts';

export const listPending: Handler<unknown> = ({ registry }) => {
  const pending = registry.inMemory().flatMap((session) => pendingView(session.state));
  pending.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
  return accept({ status: 200, body: { pending } });
};

export const listPendingOfSession: Handler<unknown> = ({ registry }, input) => {
  const found = registry.find(input.session);
  return found.ok ? accept({ status: 200, body: { pending: pendingView(found.value.state) } }) : found;
};

export const getInteraction: Handler<unknown> = ({ registry, log }, input) => {
  const found = registry.find(input.session);
  if (!found.ok) return found;
  const interaction = find(log, found.value, { requestId: input.interactionId });
  return interaction === undefined
    ? refuse('interaction_not_found')
    : accept({ status: 200, body: { interaction } });
};

export const approve: Handler<Approve> = async (room, input, caller) => {
  const { scope, pattern, expiresAt, updatedInput, mode, reason } = input;
  const response: Response =
    input.decision === 'allow'
      ? { type: 'allow', grantId: newGrantId(room), scope, pattern, expiresAt, updatedInput, mode }
      : denial(reason, input.interrupt);
  const replied = await decideOn(room, input.session, input, response, caller);
  if (!replied.ok || pattern === undefined) return replied;
  const warnings = await warningsOn(room, input, pattern);
  return warnings.length === 0
    ? replied
    : accept({ ...replied.value, body: { ...replied.value.body, warnings } });
};

async function warningsOn({ registry, log }: Room, input: Approve & Params, pattern: string) {
  const found = registry.find(input.session);
  const interaction = found.ok ? find(log, found.value, input) : undefined;
  return interaction?.decision?.type === 'allow'
    ? warningsOf(pattern, subjectOf(interaction), await publicSuffixes())
    : [];
}

export const deny: Handler<Deny> = (room, input, caller) =>
  decideOn(room, input.session, input, denial(input.reason, input.interrupt), caller);

export const answer: Handler<AnswerQuestion> = (room, input, caller) =>
  decideOn(room, input.session, input, { type: 'answer', answers: input.answers }, caller);

/** For callers who know a question by its tool call: a call that asked for something else is none. */
export const submitAnswers: Handler<SubmitAnswers> = (room, input, caller) => {
  const found = room.registry.find(input.session);
  if (!found.ok) return found;
  const { toolCallId, shown, answers } = input;
  if (find(room.log, found.value, { toolCallId })?.kind !== 'question')
    return refuse('interaction_not_found');
  return decideOn(room, input.session, { toolCallId, shown }, { type: 'answer', answers }, caller);
};

export const respond: Handler<Respond> = async (room, input, caller) => {
  const found = room.registry.find(input.session);
  if (!found.ok) return found;
  const target = { requestId: input.interactionId, shown: input.shown };
  const interaction = find(room.log, found.value, target);
  if (interaction === undefined || !isOfCall(interaction, input.callId)) {
    return refuse('interaction_not_found');
  }
  const response = responseTo(room, interaction, input);
  if (!response.ok) return response;
  return inWordsOf(await decideOn(room, input.session, target, response.value, caller));
};

/** Whoever names the call as well means an ask of that very call. */
const isOfCall = ({ tool, toolCallId }: Interaction, callId: string | undefined): boolean =>
  callId === undefined || callId === tool?.callId || callId === toolCallId;

/** The scope has another name in this operation. */
function inWordsOf(replied: Result<Reply>): Result<Reply> {
  if (replied.ok || replied.refusal.details?.field !== 'scope') return replied;
  const { refusal } = replied;
  return { ok: false, refusal: { ...refusal, details: { ...refusal.details, field: 'approvalScope' } } };
}

const newGrantId = ({ ids }: Room): GrantId => GrantId.parse(ids.grant());

const denial = (reason: string | undefined, interrupt = false): Response => ({
  type: 'deny',
  ...(reason === undefined ? {} : { reason }),
  interrupt,
});

function responseTo(room: Room, interaction: Interaction, input: Respond): Result<Response> {
  const { reason } = input;
  switch (input.action) {
    case 'approve':
      return approval(room, interaction, input);
    case 'deny':
      return accept(denial(reason));
    case 'cancel':
      return accept({ type: 'cancel', ...(reason === undefined ? {} : { reason }) });
    case 'submit':
      return submission(interaction, input.input);
  }
}

/** What an agent asks is allowed as it stands; an interactive tool may ask for something to be filled in beside it. */
function approval(room: Room, interaction: Interaction, input: Respond): Result<Response> {
  const allowed = { type: 'allow', grantId: newGrantId(room), scope: input.approvalScope } as const;
  if (interaction.tool === undefined || input.input === undefined) return accept(allowed);
  const values = fieldsOf(input.input);
  return values.ok ? accept({ ...allowed, values: values.value }) : values;
}

function submission(interaction: Interaction, input: unknown): Result<Response> {
  if (interaction.kind === 'question') {
    const answers = GivenAnswers.safeParse(input);
    return answers.success
      ? accept({ type: 'answer', answers: answers.data })
      : refuse('invalid_answer', 'The input must be the answers to the questions.', { field: 'input' });
  }
  const values = fieldsOf(input);
  return values.ok ? accept({ type: 'submit', values: values.value }) : values;
}

const fieldsOf = (input: unknown): Result<Record<string, unknown>> =>
  typeof input !== 'object' || input === null || Array.isArray(input)
    ? refuse('invalid_answer', "The input must be an object with the form's fields.", { field: 'input' })
    : accept({ ...input });

interface Target {
  readonly requestId?: string | undefined;
  readonly toolCallId?: string | undefined;
  readonly shown?: string | undefined;
}

async function decideOn(
  { registry, log, clients }: Room,
  idOrKey: string,
  target: Target,
  response: Response,
  { actor: by }: Caller,
): Promise<Result<Reply>> {
  if (!namesTarget(target)) {
    return refuse('malformed_request', 'Say which: requestId or toolCallId.', { field: 'requestId' });
  }
  const found = registry.find(idOrKey);
  if (!found.ok) return found;
  const session = found.value;
  const interaction = find(log, session, target);
  if (interaction === undefined) return refuse('interaction_not_found');
  const readOnly = readOnlyFor(clients, by.clientId, interaction);
  if (readOnly !== undefined) return readOnly;
  const { interactionId } = interaction;
  const { shown } = target;
  const done = await session.writer.command({
    type: 'respond',
    interactionId,
    response,
    by,
    ...(shown === undefined ? {} : { shown }),
  });
  if (done.ok) {
    const after = find(log, session, { requestId: interactionId }) ?? interaction;
    return accept({ status: 200, body: { status: 'ok', interaction: after } });
  }
  const { code } = done.refusal;
  if (code !== 'interaction_not_found' && code !== 'interaction_already_resolved') return done;
  return tooLate(find(log, session, { requestId: interactionId }) ?? interaction);
}

/** A connected client that said it does not answer sees everything and decides nothing; a program that is no client may. */
function readOnlyFor(
  clients: Clients,
  clientId: string | undefined,
  { tool }: Interaction,
): ReturnType<typeof refuse> | undefined {
  const mode = clientId === undefined ? undefined : clients.mode(clientId);
  if (mode === undefined) return undefined;
  if (!mode.enabled) {
    return refuse('interaction_disabled', 'Answering is switched off for this client; switch it on first.');
  }
  return mode.supported || tool === undefined
    ? undefined
    : refuse(
        'interaction_disabled',
        'This client has not said that it can answer interactive tools; a hello with interaction says so.',
      );
}

const answeredByPerson = new Set(['allowed', 'denied', 'answered', 'submitted', 'dismissed']);

/** The answer that came first, or the other way it ended, goes to whoever comes late. */
function tooLate(interaction: Interaction): Result<Reply> {
  const { outcome } = interaction;
  const details = { outcome, interaction };
  if (outcome === 'unknown' && interaction.resolvedBy?.kind !== 'timer') {
    const message = 'This was decided already, and the answer may have reached the agent.';
    return refuse('interaction_already_resolved', message, details);
  }
  return outcome !== undefined && answeredByPerson.has(outcome)
    ? refuse('interaction_already_resolved', `This was ${outcome} already.`, details)
    : refuse('interaction_gone', `This can no longer be answered: it is ${outcome ?? 'gone'}.`, details);
}

/** An interaction by its id or tool call: open ones from memory, ended ones from the log. */
function find(log: EventLog, session: LiveSession, target: Target): Interaction | undefined {
  const { state } = session;
  const live =
    target.requestId !== undefined
      ? interactionOf(state, target.requestId)
      : newestOf(state, target.toolCallId);
  if (live !== undefined) return interactionView(state, live);
  const id = target.requestId ?? lastAskOf(log, session, target.toolCallId);
  return id === undefined ? undefined : interactionFromLog(state, log.findByReference(session.id, id));
}

/** One call may ask several times: first whether it may run, then what its tool wants to know. */
function newestOf(state: SessionState, toolCallId: string | undefined): LiveInteraction | undefined {
  const ofCall = valuesOf(state.interactions).filter(
    ({ requested }) => requested.ask.toolCallId === toolCallId,
  );
  return ofCall.findLast(({ decided }) => decided === null) ?? ofCall.at(-1);
}

function lastAskOf(
  log: EventLog,
  session: LiveSession,
  toolCallId: string | undefined,
): InteractionId | undefined {
  const last = log.findByReference(session.id, `ask:${toolCallId}`).at(-1);
  return last?.type === 'interaction.requested' ? InteractionId.parse(last.interactionId) : undefined;
}

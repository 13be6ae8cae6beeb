import type { Response } from '../../model/command.ts';
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
import type { Caller, Reply } from '../ports/control-room.ts';
import type { EventLog } from '../ports/event-log.ts';
import type { Handler, Room } from './room.ts';

export const listPending: Handler<unknown> = ({ registry }) => {
  const pending = registry.all().flatMap((session) => pendingView(session.state));
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

export const approve: Handler<Approve> = (room, input, caller) => {
  const { scope, pattern, expiresAt, updatedInput, mode, reason } = input;
  const response: Response =
    input.decision === 'allow'
      ? { type: 'allow', grantId: newGrantId(room), scope, pattern, expiresAt, updatedInput, mode }
      : denial(reason, input.interrupt);
  return decideOn(room, input.session, input, response, caller);
};

export const deny: Handler<Deny> = (room, input, caller) =>
  decideOn(room, input.session, input, denial(input.reason, input.interrupt), caller);

export const answer: Handler<AnswerQuestion> = (room, input, caller) =>
  decideOn(room, input.session, input, { type: 'answer', answers: input.answers }, caller);

/** For callers who know a question by its tool call: a call that asked for something else is none. */
export const submitAnswers: Handler<SubmitAnswers> = (room, input, caller) => {
  const found = room.registry.find(input.session);
  if (!found.ok) return found;
  const { toolCallId, answers } = input;
  if (find(room.log, found.value, { toolCallId })?.kind !== 'question')
    return refuse('interaction_not_found');
  return decideOn(room, input.session, { toolCallId }, { type: 'answer', answers }, caller);
};

export const respond: Handler<Respond> = (room, input, caller) => {
  const found = room.registry.find(input.session);
  if (!found.ok) return found;
  const target = { requestId: input.interactionId };
  const interaction = find(room.log, found.value, target);
  if (interaction === undefined) return refuse('interaction_not_found');
  const response = responseTo(room, interaction, input);
  return response.ok ? decideOn(room, input.session, target, response.value, caller) : response;
};

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
      return accept({ type: 'allow', grantId: newGrantId(room), scope: input.approvalScope });
    case 'deny':
      return accept(denial(reason));
    case 'cancel':
      return accept({ type: 'cancel', ...(reason === undefined ? {} : { reason }) });
    case 'submit':
      return submission(interaction, input.input);
  }
}

function submission(interaction: Interaction, input: unknown): Result<Response> {
  if (interaction.kind === 'question') {
    const answers = GivenAnswers.safeParse(input);
    return answers.success
      ? accept({ type: 'answer', answers: answers.data })
      : refuse('invalid_answer', 'The input must be the answers to the questions.', { field: 'input' });
  }
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return refuse('invalid_answer', "The input must be an object with the form's fields.", {
      field: 'input',
    });
  }
  return accept({ type: 'submit', values: { ...input } });
}

interface Target {
  readonly requestId?: string | undefined;
  readonly toolCallId?: string | undefined;
}

async function decideOn(
  { registry, log }: Room,
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
  const { interactionId } = interaction;
  const done = await session.runner.command({ type: 'respond', interactionId, response, by });
  if (done.ok) {
    const after = find(log, session, { requestId: interactionId }) ?? interaction;
    return accept({ status: 200, body: { status: 'ok', interaction: after } });
  }
  const { code } = done.refusal;
  if (code !== 'interaction_not_found' && code !== 'interaction_already_resolved') return done;
  return tooLate(find(log, session, { requestId: interactionId }) ?? interaction);
}

const answeredByPerson = new Set(['allowed', 'denied', 'answered', 'submitted', 'dismissed']);

/** The answer that came first, or the other way it ended, goes to whoever comes late. */
function tooLate(interaction: Interaction): Result<Reply> {
  const { outcome } = interaction;
  const details = { outcome, interaction };
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
      : Object.values(state.interactions).find(
          (other) => other.requested.ask.toolCallId === target.toolCallId,
        );
  if (live !== undefined) return interactionView(state, live);
  const id = target.requestId ?? lastAskOf(log, session, target.toolCallId);
  return id === undefined ? undefined : interactionFromLog(state, log.findByReference(session.id, id));
}

function lastAskOf(
  log: EventLog,
  session: LiveSession,
  toolCallId: string | undefined,
): InteractionId | undefined {
  const last = log.findByReference(session.id, `ask:${toolCallId}`).at(-1);
  return last?.type === 'interaction.requested' ? InteractionId.parse(last.interactionId) : undefined;
}

import type { Response } from '../../model/command.ts';
import { warningsOf } from '../../model/grant-advice.ts';
import { subjectOf } from '../../model/grants.ts';
import { valuesOf } from '../../model/ordered-map.ts';
import type { LiveInteraction, SessionState } from '../../model/state.ts';
import { interactionOf } from '../../model/status.ts';
import { changedFilesOf } from '../../model/tool-call.ts';
import { interactionFromLog, interactionView, pendingView } from '../../model/views.ts';
import type { NamedFile } from '../../protocol/asked-file.ts';
import { check } from '../../protocol/check.ts';
import { type Approve, GivenAnswers, type Respond } from '../../protocol/command.ts';
import { accept, type Result, refuse } from '../../protocol/errors.ts';
import { askReference } from '../../protocol/event.ts';
import { GrantId, InteractionId } from '../../protocol/ids.ts';
import type { Interaction } from '../../protocol/interaction.ts';
import type { LiveSession } from '../live-session.ts';
import { placeOn } from '../machines.ts';
import type { Caller, Clients } from '../ports/control-room.ts';
import type { EventLog } from '../ports/event-log.ts';
import { publicSuffixes } from '../public-suffix.ts';
import type { HandlerInput, Handlers, Room } from './room.ts';

/** A call that changes more is shown without the rest of its files. */
const MOST_FILES = 10;

export const interactionHandlers = {
  listPending({ registry }) {
    const pending = registry.inMemory().flatMap((session) => pendingView(session.state));
    pending.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
    return accept({ status: 200, body: { pending } });
  },

  listPendingOfSession(_room, { session }) {
    return accept({ status: 200, body: { pending: pendingView(session.state) } });
  },

  getInteraction({ log }, { session, interactionId }) {
    const interaction = find(log, session, { requestId: interactionId });
    return interaction === undefined
      ? refuse('interaction_not_found')
      : accept({ status: 200, body: { interaction } });
  },

  /** Nobody can ask for a file by its name: only the asks of agents name some. */
  async askedFiles({ log, machines, settings }, { session, interactionId }) {
    const interaction = find(log, session, { requestId: interactionId });
    if (interaction === undefined) return refuse('interaction_not_found');
    if (interaction.status !== 'open') return accept({ status: 200, body: { files: [] } });
    const { cwd, realCwd, machine } = session.state;
    const place = { cwd, realCwd, roots: placeOn(machine, settings).roots };
    const files: NamedFile[] = [];
    for (const path of changedFilesOf(interaction).slice(0, MOST_FILES)) {
      const file = await machines.ask(machine, (runner) => runner.workspace('file', { place, path }));
      if (!file.ok) return file;
      files.push(file.value);
    }
    return accept({ status: 200, body: { files } });
  },

  approve: answering<'approve'>(({ decision, ...given }) => ({
    ...given,
    action: decision === 'deny' ? 'deny' : 'approve',
  })),
  deny: answering<'deny'>((given) => ({ ...given, action: 'deny' })),
  answer: answering<'answer'>((given) => ({ ...given, action: 'submit' })),
  /** For callers who know a question by its tool call: a call that asked for something else is none. */
  submitAnswers: answering<'submitAnswers'>((given) => ({ ...given, action: 'submit', kind: 'question' })),
  respond: answering<'respond'>(({ interactionId, approvalScope, ...given }) => ({
    ...given,
    requestId: interactionId,
    scope: approvalScope,
    scopeField: 'approvalScope',
  })),
} satisfies Partial<Handlers>;

/** An answer to an interaction, whichever the operation that gives it. */
interface Given
  extends Target,
    Pick<
      Approve,
      | 'scope'
      | 'pattern'
      | 'expiresAt'
      | 'onlyHere'
      | 'updatedInput'
      | 'mode'
      | 'way'
      | 'reason'
      | 'interrupt'
      | 'shown'
    >,
    Pick<Respond, 'action' | 'callId' | 'input'> {
  readonly answers?: GivenAnswers;
  readonly kind?: Interaction['kind'];
  /** What the operation calls the scope. */
  readonly scopeField?: string;
}

interface Target {
  readonly requestId?: string | undefined;
  readonly toolCallId?: string | undefined;
}

type Answering = 'approve' | 'deny' | 'answer' | 'submitAnswers' | 'respond';

function answering<Name extends Answering>(given: (input: HandlerInput<Name>) => Given) {
  return (room: Room, input: HandlerInput<Name> & { readonly session: LiveSession }, caller: Caller) =>
    answerTo(room, input.session, given(input), caller);
}

async function answerTo(room: Room, session: LiveSession, given: Given, { actor: by }: Caller) {
  const { log, clients } = room;
  if (given.requestId === undefined && given.toolCallId === undefined) {
    return refuse('malformed_request', 'Say which: requestId or toolCallId.', { field: 'requestId' });
  }
  const interaction = find(log, session, given);
  if (interaction === undefined || !isMeant(interaction, given)) return refuse('interaction_not_found');
  const readOnly = readOnlyFor(clients, by.clientId, interaction);
  if (readOnly !== undefined) return readOnly;
  const response = responseTo(room, interaction, given);
  if (!response.ok) return response;
  const { interactionId } = interaction;
  const { shown } = given;
  const answered = await session.writer.command({
    type: 'respond',
    interactionId,
    response: response.value,
    by,
    ...(shown === undefined ? {} : { shown }),
  });
  const after = find(log, session, { requestId: interactionId }) ?? interaction;
  if (!answered.ok) return inWordsOf(given, answered, after);
  const warnings = await warningsOn(after, given.pattern);
  const body = { status: 'ok', interaction: after, ...(warnings.length === 0 ? {} : { warnings }) } as const;
  return accept({ status: 200, body } as const);
}

/** Whoever names the call as well means an ask of that very call. */
const isMeant = ({ kind, tool, toolCallId }: Interaction, given: Given): boolean =>
  (given.kind === undefined || given.kind === kind) &&
  (given.callId === undefined || given.callId === tool?.callId || given.callId === toolCallId);

function responseTo({ ids }: Room, interaction: Interaction, given: Given): Result<Response> {
  const { scope, pattern, expiresAt, onlyHere, updatedInput, mode, way } = given;
  const { input, answers, interrupt = false } = given;
  const reason = given.reason === undefined ? {} : { reason: given.reason };
  switch (given.action) {
    case 'approve': {
      const grantId = GrantId.parse(ids.grant());
      const grant = { grantId, scope, pattern, expiresAt, onlyHere };
      const allowed = { type: 'allow', ...grant, updatedInput, mode, way } as const;
      // What an agent asks is allowed as it stands; an interactive tool may ask for something to be filled in beside it.
      if (interaction.tool === undefined || input === undefined) return accept(allowed);
      const values = fieldsOf(input);
      return values.ok ? accept({ ...allowed, values: values.value }) : values;
    }
    case 'deny':
      return accept({ type: 'deny', ...reason, interrupt });
    case 'cancel':
      return accept({ type: 'cancel', ...reason });
    case 'submit':
      return answers === undefined ? submission(interaction, input) : accept({ type: 'answer', answers });
  }
}

function submission({ kind }: Interaction, input: unknown): Result<Response> {
  if (kind !== 'question') {
    const values = fieldsOf(input);
    return values.ok ? accept({ type: 'submit', values: values.value }) : values;
  }
  const answers = check(GivenAnswers, input, ['input']);
  if (answers.ok) return accept({ type: 'answer', answers: answers.value });
  const { message, details } = answers.refusal;
  const sentence = details?.field === 'input' ? 'The input must be the answers to the questions.' : message;
  return refuse('invalid_answer', sentence, { ...details });
}

const fieldsOf = (input: unknown): Result<Record<string, unknown>> =>
  typeof input !== 'object' || input === null || Array.isArray(input)
    ? refuse('invalid_answer', "The input must be an object with the form's fields.", { field: 'input' })
    : accept({ ...input });

async function warningsOn(interaction: Interaction, pattern: string | undefined) {
  return pattern !== undefined && interaction.decision?.type === 'allow'
    ? warningsOf(pattern, subjectOf(interaction), await publicSuffixes())
    : [];
}

function inWordsOf(
  { scopeField }: Given,
  refused: Extract<Result<never>, { ok: false }>,
  after: Interaction,
): Result<never> {
  const { code, message, details } = refused.refusal;
  if (code === 'interaction_not_found' || code === 'interaction_already_resolved') return tooLate(after);
  return scopeField !== undefined && details?.field === 'scope'
    ? refuse(code, message, { ...details, field: scopeField })
    : refused;
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
function tooLate(interaction: Interaction): Result<never> {
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
  const last = log.findByReference(session.id, askReference(toolCallId ?? '')).at(-1);
  return last?.type === 'interaction.requested' ? InteractionId.parse(last.interactionId) : undefined;
}

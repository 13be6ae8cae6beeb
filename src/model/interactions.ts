import { accept, type Result, refuse } from '../protocol/errors.ts';
import type { EventOf, NewEvent } from '../protocol/event.ts';
import type { Grant } from '../protocol/grant.ts';
import { type InteractionId, MessageId } from '../protocol/ids.ts';
import type { Actor, ApprovalScope, Ask, Decision, Outcome } from '../protocol/interaction.ts';
import { normaliseAnswers } from './answers.ts';
import { becomes, type CommandOf, type Context, type Decided, type Response } from './command.ts';
import { checkForm } from './form.ts';
import { canBeGranted, isSameGrant, subjectOf, workplaceOf } from './grants.ts';
import { denialText } from './late-answer.ts';
import { enqueue } from './messages.ts';
import { valuesOf } from './ordered-map.ts';
import { matches } from './pattern.ts';
import { shownDigest } from './shown-digest.ts';
import type { LiveInteraction, SessionState } from './state.ts';
import { interactionOf } from './status.ts';

/** Records a person's decision on an open interaction. The first one wins; whoever comes later is told which. */
export function respond(
  state: SessionState,
  command: CommandOf<'respond'>,
  context: Context,
): Result<Decided> {
  const live = interactionOf(state, command.interactionId);
  if (live === undefined) return refuse('interaction_not_found');
  if (live.decided !== null) {
    return refuse('interaction_already_resolved', undefined, { outcome: live.decided.outcome });
  }
  const { ask } = live.requested;
  if (command.shown !== undefined && command.shown !== shownDigest(ask)) return refuse('interaction_changed');
  const made = decisionOn(state, ask, command.response);
  if (!made.ok) return made;
  const decided: NewEvent = {
    type: 'interaction.decided',
    interactionId: command.interactionId,
    outcome: made.value.outcome,
    decision: made.value.decision,
    by: command.by,
  };
  const grant = grantFrom(state, ask, command, context);
  if (!grant.ok) return grant;
  const given = grant.value;
  if (given?.scope === 'always') return accept({ events: [decided], grant: given });
  return given === undefined || state.grants.some((known) => isSameGrant(known, given))
    ? becomes(decided)
    : becomes(decided, { type: 'grant.created', grant: given });
}

const noReason = 'This was denied without a reason.';

interface Verdict {
  readonly outcome: Outcome;
  readonly decision: Decision;
}

/** An answer checked against what was asked; one that nobody could give is refused. */
export function decisionOn(
  state: Pick<SessionState, 'capabilities'>,
  ask: AnsweredAsk,
  response: Response,
): Result<Verdict> {
  switch (response.type) {
    case 'allow':
      return allow(state, ask, response);
    case 'deny': {
      if (response.interrupt && state.capabilities?.interrupt === false) {
        return refuse('invalid_value', 'This agent cannot be interrupted.', { field: 'interrupt' });
      }
      const message = response.reason?.trim() || noReason;
      return accept({
        outcome: 'denied',
        decision: { type: 'deny', message, interrupt: response.interrupt },
      });
    }
    case 'answer': {
      if (ask.kind !== 'question') return wrongKind(ask, 'takes no answers');
      const answers = normaliseAnswers(ask.questions ?? [], response.answers);
      return answers.ok
        ? accept({ outcome: 'answered', decision: { type: 'answer', answers: answers.value } })
        : answers;
    }
    case 'submit': {
      if (ask.kind !== 'form' || ask.form === undefined) return wrongKind(ask, 'is no form to submit');
      const values = checkForm(ask.form, response.values);
      return values.ok
        ? accept({ outcome: 'submitted', decision: { type: 'submit', values: values.value } })
        : values;
    }
    case 'cancel': {
      if (ask.kind === 'approval') return wrongKind(ask, 'cannot be dismissed: deny it');
      const message = response.reason?.trim() || 'This was dismissed without an answer.';
      return accept({ outcome: 'dismissed', decision: { type: 'dismiss', message } });
    }
  }
}

type AnsweredAsk = Pick<Ask, 'kind' | 'questions' | 'form' | 'plan' | 'tool' | 'approvalScopes' | 'ways'>;

function allow(
  state: Pick<SessionState, 'capabilities'>,
  ask: AnsweredAsk,
  response: Extract<Response, { type: 'allow' }>,
): Result<Verdict> {
  if (ask.kind === 'question') return wrongKind(ask, 'must be answered, not allowed');
  if (ask.kind === 'form') return wrongKind(ask, 'must be filled in, not allowed');
  if (ask.tool !== undefined) return allowTool(ask, response);
  if (response.mode !== undefined && ask.plan === undefined) {
    return refuse('invalid_value', 'Only a plan can be approved with a mode to go on in.', { field: 'mode' });
  }
  const { ways = [] } = ask;
  const isNamed = ways.some(({ id }) => id === response.way);
  // A plan is not carried out in a way that nobody chose.
  const isNeeded = ask.plan !== undefined && ways.length > 0 && response.mode === undefined;
  if (!isNamed && (response.way !== undefined || isNeeded)) {
    const offered = ways.map(({ id }) => id);
    const words =
      offered.length > 0
        ? `Name one of the ways that the agent offers: ${offered.join(', ')}.`
        : 'The agent offers one way alone.';
    return refuse('invalid_value', words, { field: 'way', offered });
  }
  if (response.updatedInput !== undefined && state.capabilities?.editInput === false) {
    // It would run what it asked for, not what the person allowed.
    return refuse('invalid_value', 'This agent cannot be given another input than the one it asked with.', {
      field: 'updatedInput',
    });
  }
  return accept({
    outcome: 'allowed',
    decision: {
      type: 'allow',
      scope: response.scope ?? 'once',
      ...(response.updatedInput === undefined ? {} : { updatedInput: response.updatedInput }),
      ...(response.mode === undefined ? {} : { mode: response.mode }),
      ...(response.way === undefined ? {} : { way: response.way }),
    },
  });
}

/** A tool says what it offers, and keeps what it is given: neither makes a grant of ours. */
function allowTool(ask: AnsweredAsk, response: Extract<Response, { type: 'allow' }>): Result<Verdict> {
  const { scope = 'once' } = response;
  const offered = ask.approvalScopes ?? ['once'];
  if (!offered.includes(scope)) {
    return refuse('invalid_value', `This can only be allowed ${listed(offered)}.`, {
      field: 'scope',
      offered,
    });
  }
  const meantForAgents = (['pattern', 'expiresAt', 'onlyHere', 'updatedInput', 'mode'] as const).find(
    (name) => response[name] !== undefined,
  );
  if (meantForAgents !== undefined) {
    return refuse('invalid_value', `An interactive tool takes no "${meantForAgents}".`, {
      field: meantForAgents,
    });
  }
  if (ask.form === undefined) {
    return Object.keys(response.values ?? {}).length > 0
      ? refuse('invalid_value', 'There is nothing to fill in here.', { field: 'input' })
      : accept({ outcome: 'allowed', decision: { type: 'allow', scope } });
  }
  const values = checkForm(ask.form, response.values ?? {});
  return values.ok
    ? accept({ outcome: 'allowed', decision: { type: 'allow', scope, values: values.value } })
    : values;
}

const scopeWords = { once: 'once', session: 'for the session', always: 'always' } as const;
const listed = (scopes: readonly ApprovalScope[]): string =>
  scopes.length === 0 ? 'by no one' : scopes.map((scope) => scopeWords[scope]).join(' or ');

const wrongKind = (ask: AnsweredAsk, why: string) =>
  refuse('invalid_value', `This ${ask.kind} ${why}.`, { field: 'requestId', kind: ask.kind });

/** The standing approval that goes with an answer, checked before anything is recorded. */
function grantFrom(
  state: SessionState,
  ask: Ask,
  command: CommandOf<'respond'>,
  context: Context,
): Result<Grant | undefined> {
  const { response } = command;
  if (ask.tool !== undefined || response.type !== 'allow') return accept(undefined);
  if (response.onlyHere === true && response.scope !== 'always') {
    return refuse('invalid_value', 'Only what is allowed always can be bound to a directory.', {
      field: 'onlyHere',
    });
  }
  if (response.scope === undefined || response.scope === 'once') return accept(undefined);
  if (!canBeGranted(ask)) {
    return refuse('invalid_value', 'This must be asked every time; it can only be allowed once.', {
      field: 'scope',
    });
  }
  if (response.updatedInput !== undefined && response.pattern === undefined) {
    return refuse(
      'invalid_value',
      'With an edited input, say the pattern that is to be allowed from now on.',
      {
        field: 'pattern',
      },
    );
  }
  const subject = subjectOf(ask);
  const { pattern } = response;
  if (pattern !== undefined && response.updatedInput === undefined && !matches(pattern, subject)) {
    return refuse('invalid_value', 'The pattern does not match what was asked.', { field: 'pattern' });
  }
  return accept({
    id: response.grantId,
    toolName: ask.toolName,
    pattern: pattern ?? subject.value,
    literal: pattern === undefined || pattern === subject.value,
    subjectKind: subject.kind,
    scope: response.scope,
    ...(response.scope === 'session' ? { sessionId: state.id } : {}),
    ...(response.scope === 'always' && response.onlyHere === true ? { directory: workplaceOf(state) } : {}),
    ...(response.expiresAt === undefined ? {} : { expiresAt: response.expiresAt }),
    createdAt: context.at,
    by: command.by,
  });
}

/** The decision was written to the agent, certainly was not, or nobody can say. */
export function deliver(
  state: SessionState,
  command: CommandOf<'delivered'>,
  context: Context,
): Result<Decided> {
  const live = interactionOf(state, command.interactionId);
  const decided = live?.decided;
  if (live === undefined || decided === undefined || decided === null) return becomes();
  const { interactionId, outcome, by } = decided;
  if (command.ok)
    return becomes(
      { type: 'interaction.resolved', interactionId, outcome, by, delivered: true },
      ...reasonAsMessage(state, live.requested.ask, decided, context),
    );
  return becomes(
    command.uncertain === true
      ? maybeDelivered(decided, 'The agent was lost before it was known whether the answer had been written.')
      : undelivered(decided, 'The agent was gone before the answer could be written.'),
  );
}

/** The reason of a denial, for an agent that takes none with it: in the same step as the delivery, so that it is sent once. */
function reasonAsMessage(
  state: SessionState,
  ask: Ask,
  { interactionId, decision, by }: EventOf<'interaction.decided'>,
  context: Context,
): NewEvent[] {
  const isHeard = state.capabilities?.denyReason !== false || ask.tool !== undefined;
  if (isHeard || decision.type !== 'deny' || decision.interrupt || decision.message === noReason) return [];
  return enqueue(state, {
    type: 'send',
    messageId: MessageId.parse(context.mint('message')),
    text: denialText(ask, decision.message),
    images: [],
    disposition: 'auto',
    replace: false,
    clientMessageId: null,
    by,
  }).map((event) => (event.type === 'message.queued' ? { ...event, answers: interactionId } : event));
}

interface End {
  readonly outcome: Outcome;
  readonly by: Actor;
  readonly reason: string;
}

export const interruptedTurn = { outcome: 'interrupted', reason: 'The turn was interrupted.' } as const;

/** The end of an ask without an answer that is known to have arrived. */
export const unanswered = (interactionId: InteractionId, end: End): NewEvent => ({
  type: 'interaction.resolved',
  interactionId,
  ...end,
  delivered: false,
});

/** The answer certainly did not reach whoever asked. */
export const undelivered = ({ interactionId, by }: EventOf<'interaction.decided'>, why: string): NewEvent =>
  unanswered(interactionId, {
    outcome: 'lost',
    by,
    reason: `The answer was recorded but did not reach the agent. ${why}`,
  });

const maybeDelivered = ({ interactionId, by }: EventOf<'interaction.decided'>, why: string): NewEvent =>
  unanswered(interactionId, {
    outcome: 'unknown',
    by,
    reason: `The answer was recorded and may have reached the agent. ${why}`,
  });

export function park(state: SessionState, interactionId: InteractionId): Result<Decided> {
  const live = interactionOf(state, interactionId);
  const waits = live !== undefined && live.decided === null && live.leftOpen === null && !live.parked;
  return waits ? becomes({ type: 'interaction.parked', interactionId }) : becomes();
}

/** The hard limit: the agent is told in plain words that nobody answered. */
export function expire(state: SessionState, interactionId: InteractionId): Result<Decided> {
  const live = interactionOf(state, interactionId);
  if (live === undefined || live.decided !== null) return becomes();
  const message = 'Nobody answered within the time limit. This is neither a yes nor a no of a person.';
  const decision: Decision =
    live.requested.ask.kind === 'approval'
      ? { type: 'deny', message, interrupt: false }
      : { type: 'dismiss', message };
  const by: Actor = { kind: 'timer' };
  return becomes({ type: 'interaction.decided', interactionId, outcome: 'expired', decision, by });
}

/** Ends everything that is open, or decided and not delivered; or those of it that are meant. */
export const settleAll = (
  state: SessionState,
  end: End,
  context: Context,
  isMeant: (live: LiveInteraction) => boolean = () => true,
): NewEvent[] =>
  valuesOf(state.interactions)
    .filter(isMeant)
    .map((live) => {
      const { requested, decided } = live;
      if (decided === null) return unanswered(requested.interactionId, end);
      return isHandedOver(live, context)
        ? maybeDelivered(decided, end.reason)
        : undelivered(decided, end.reason);
    });

/** The answer was given to whoever carries it, by this server or by one before, and may have arrived. */
export const isHandedOver = ({ decided, deferred, leftOpen }: LiveInteraction, context: Context): boolean =>
  decided !== null && decided.seq <= context.storedSeq && deferred !== 'asleep' && leftOpen === null;

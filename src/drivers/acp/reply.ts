import type { Answer, Ask, Decision } from '../../protocol/interaction.ts';
import type { AgentFact } from '../../runner/ports/agent-driver.ts';
import { notice } from '../facts.ts';
import { isObject, type JsonObject, listAt, textAt } from '../fields.ts';
import { elicitationReply } from './translate/elicitation.ts';

/** The reply to an agent's request: built from the ask as it was stored, and from nothing a client claims. */
export function replyTo(ask: Ask, decision: Decision): { reply: JsonObject; facts: readonly AgentFact[] } {
  // What came as a request for leave is answered as one, whatever it asks.
  if (ask.suggestions === undefined) return { reply: { ...elicitationReply(ask, decision) }, facts: [] };
  if (decision.type === 'answer') {
    const offered = answersAmong(optionsOf(ask));
    return offered.length > 0
      ? chosenAnswer(ask, offered, decision.answers[0])
      : { reply: answersReply(ask, decision.answers), facts: [] };
  }
  const { outcome, remark } = permissionReply(ask, decision);
  return { reply: { outcome }, facts: remark ? [notice('warning', remark.code, remark.text)] : [] };
}

/** Ways to allow that are the answers to a question, and no others. */
export const answersAmong = (options: readonly PermissionOption[]): readonly PermissionOption[] =>
  options.filter(({ optionId, kind }) => /^q\d+_opt_\d+$/.test(optionId) && kind === 'allow_once');

/** One of the answers that the agent offers; it can be told no other words, and passes over the question then. */
function chosenAnswer(ask: Ask, offered: readonly PermissionOption[], answer: Answer | undefined) {
  const chosen = offered.find(({ name }) => name === answer?.selected[0]);
  if (chosen && answer?.other === undefined) return { reply: { outcome: select(chosen).outcome }, facts: [] };
  const { outcome } = deny(optionsOf(ask));
  const text =
    'The agent takes one of its own answers and no other words: it was told to skip the question. Send it what you mean as a message.';
  return { reply: { outcome }, facts: [notice('warning', 'answer-not-taken', text)] };
}

/** Answers by the place of their questions, several of one with commas between them. */
function answersReply(ask: Ask, answers: readonly Answer[]): JsonObject {
  const words = answers.map(({ selected, other }) => [...selected, ...(other ? [other] : [])].join(', '));
  const { outcome } = permissionReply(ask, { type: 'allow', scope: 'once' });
  return { outcome, answers: { ...words } };
}

export interface PermissionOption {
  readonly optionId: string;
  readonly name: string;
  /** `allow_once`, `allow_always`, `reject_once`, `reject_always`; one we do not know is never chosen. */
  readonly kind: string;
}

export function optionsIn(request: JsonObject): PermissionOption[] {
  return listAt(request, 'options').flatMap(toOption);
}

interface PermissionReply {
  readonly outcome:
    | { readonly outcome: 'cancelled' }
    | { readonly outcome: 'selected'; readonly optionId: string };
  /** What the person should know of how the decision was put. */
  readonly remark?: { readonly code: string; readonly text: string };
}

/** The option that says what was decided, of those that were offered with the ask and of no others. */
export function permissionReply(ask: Ask, decision: Decision): PermissionReply {
  switch (decision.type) {
    case 'allow':
      return allow(optionsOf(ask), decision.way);
    case 'deny':
    case 'dismiss':
      return deny(optionsOf(ask));
    case 'answer':
    case 'submit':
      throw new TypeError(`An approval cannot be settled by ${decision.type}`);
  }
}

/**
 * For this one time, whatever the scope: a standing approval is kept here, where it is listed, revoked and held against the
 * exact pattern. What agents offer for good is wider than what was shown ("all edits"), and cannot be revoked. Where a person chose
 * among the ways that the agent offers, it is that one.
 */
function allow(options: readonly PermissionOption[], way: string | undefined): PermissionReply {
  const chosen = options.find(({ optionId, kind }) => optionId === way && kind.startsWith('allow_'));
  if (chosen) return select(chosen);
  const once = options.find(({ kind }) => kind === 'allow_once');
  if (once) return select(once);
  const always = options.find(({ kind }) => kind === 'allow_always');
  return always
    ? { ...select(always), remark: remembered(always) }
    : { ...cancelled, remark: noWay('allow') };
}

function deny(options: readonly PermissionOption[]): PermissionReply {
  const option =
    options.find(({ kind }) => kind === 'reject_once') ??
    options.find(({ kind }) => kind === 'reject_always');
  return option ? select(option) : { ...cancelled, remark: noWay('refuse') };
}

function optionsOf({ suggestions }: Ask): readonly PermissionOption[] {
  return (suggestions ?? []).filter(isObject).flatMap(toOption);
}

function toOption(given: JsonObject): PermissionOption[] {
  const optionId = textAt(given, 'optionId');
  const kind = textAt(given, 'kind');
  if (optionId === undefined || kind === undefined) return [];
  return [{ optionId, kind, name: textAt(given, 'name') ?? optionId }];
}

const select = ({ optionId }: PermissionOption): PermissionReply => ({
  outcome: { outcome: 'selected', optionId },
});

export const cancelled: PermissionReply = { outcome: { outcome: 'cancelled' } };

const remembered = ({ name }: PermissionOption) => ({
  code: 'remembered-by-agent',
  text: `The agent was told “${name}”, for it offered no approval for one time. It remembers that by itself.`,
});

const noWay = (what: string) => ({
  code: 'no-such-option',
  text: `The agent offered no way to ${what} this; its question was cancelled.`,
});

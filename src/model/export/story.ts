import type { Event, EventOf } from '../../protocol/event.ts';
import type { Actor, Ask, Decision, Outcome } from '../../protocol/interaction.ts';
import { hunksBetween } from '../diff-lines.ts';
import { valueText } from '../late-answer.ts';
import { plainText } from '../plain-text.ts';
import { showInvisible, showSuspicious, showValue, visibleLine } from '../suspicious-text.ts';
import { mainPartOf, type ToolCall, toolCallOf } from '../tool-call.ts';
import { whoOf } from '../who.ts';

/** What a reader is told of a session, in order. All texts are free of terminal control; none is free of markup. */
export type StoryPart = { readonly at: string; readonly depth: number } & (
  | { readonly is: 'message' | 'text' | 'thinking'; readonly text: string; readonly pictures: number }
  | {
      readonly is: 'tool';
      readonly name: string;
      readonly gist: string;
      readonly input: string;
      readonly result: { readonly text: string; readonly isError: boolean; readonly pictures: number } | null;
    }
  | {
      readonly is: 'ask';
      readonly title: string;
      readonly body: string;
      /** Null while it is open. */
      readonly end: { readonly outcome: Outcome; readonly words: string } | null;
    }
  | { readonly is: 'note'; readonly tone: 'plain' | 'warning' | 'error'; readonly text: string }
);

/** Reads the events of a session as the conversation they were. */
export function storyOf(events: readonly Event[]): readonly StoryPart[] {
  const teller = new Teller();
  for (const event of events) teller.tell(event);
  return teller.parts.map((part) => (typeof part === 'function' ? part() : part));
}

/** Results and outcomes come later than what they belong to: such a part is finished when all is read. */
class Teller {
  readonly parts: (StoryPart | (() => StoryPart))[] = [];
  readonly #depths = new Map<string, number>();
  readonly #results = new Map<string, EventOf<'tool.result'>>();
  readonly #decisions = new Map<string, Decision>();
  readonly #ends = new Map<string, { outcome: Outcome; by: Actor; reason?: string | undefined }>();

  tell(event: Event): void {
    const { at } = event;
    const depth = this.#depthOf('parentToolCallId' in event ? event.parentToolCallId : undefined);
    const note = (text: string, tone: 'plain' | 'warning' | 'error' = 'plain') =>
      this.parts.push({ is: 'note', at, depth, tone, text: plainText(text) });
    switch (event.type) {
      case 'message.taken':
        this.parts.push({
          is: 'message',
          at,
          depth,
          text: plainText(event.text),
          pictures: event.images.length,
        });
        return;
      case 'agent.text':
      case 'agent.thinking': {
        const is = event.type === 'agent.text' ? 'text' : 'thinking';
        this.parts.push({ is, at, depth, text: plainText(event.text), pictures: 0 });
        return;
      }
      case 'tool.called':
        if (event.startsAgent) this.#depths.set(event.toolCallId, depth + 1);
        this.parts.push(() => this.#toolPart(event, depth));
        return;
      case 'tool.result':
        this.#results.set(event.toolCallId, event);
        return;
      case 'interaction.requested':
        this.parts.push(() => this.#askPart(event, this.#depthOf(event.ask.parentToolCallId)));
        return;
      case 'interaction.decided':
        this.#decisions.set(event.interactionId, event.decision);
        return;
      case 'interaction.resolved':
        this.#ends.set(event.interactionId, event);
        return;
      case 'turn.ended':
        note(turnWords(event), event.outcome === 'failed' || event.outcome === 'lost' ? 'error' : 'plain');
        return;
      case 'agent.notice':
        note(event.text, event.level === 'info' ? 'plain' : event.level);
        return;
      case 'session.stopped':
        note('The session was stopped.');
        return;
      case 'session.failed':
        note(`The session failed: ${event.reason}`, 'error');
        return;
      case 'session.reopened':
        note('The session was resumed.');
        return;
      case 'mode.changed':
        note(`Mode: ${event.permissionMode}`);
        return;
      case 'model.changed':
        note(`Model: ${event.model ?? 'default'}`);
        return;
      case 'grant.created':
        note(
          `From now on allowed: ${event.grant.toolName} ${visibleLine(event.grant.pattern)} (${event.grant.scope})`,
        );
        return;
      default:
    }
  }

  #depthOf(parent: string | undefined): number {
    return parent === undefined ? 0 : (this.#depths.get(parent) ?? 1);
  }

  #toolPart(event: EventOf<'tool.called'>, depth: number): StoryPart {
    const call = toolCallOf(event);
    const result = this.#results.get(event.toolCallId);
    return {
      is: 'tool',
      at: event.at,
      depth,
      name: visibleLine(event.name),
      gist: visibleLine(mainPartOf(call)?.text ?? ''),
      input: callText(call),
      result:
        result === undefined
          ? null
          : {
              text: plainText(result.text),
              isError: result.isError,
              pictures: result.images?.length ?? 0,
            },
    };
  }

  #askPart({ at, ask, interactionId }: EventOf<'interaction.requested'>, depth: number): StoryPart {
    const end = this.#ends.get(interactionId);
    const decision = this.#decisions.get(interactionId);
    return {
      is: 'ask',
      at,
      depth,
      title:
        ask.kind === 'approval' && ask.tool === undefined ? visibleLine(ask.title) : plainText(ask.title),
      body: askText(ask),
      end: end === undefined ? null : { outcome: end.outcome, words: endWords(ask, decision, end) },
    };
  }
}

/** Everything that went into a call. */
function callText(call: ToolCall): string {
  const lines = [
    ...thingLines(call),
    ...call.others.map(({ name, value }) =>
      field(name, typeof value === 'string' ? value : (JSON.stringify(value) ?? '')),
    ),
  ];
  return lines.join('\n');
}

function thingLines(call: ToolCall): string[] {
  const some = (name: string, value: string | null): string[] => (value === null ? [] : [field(name, value)]);
  switch (call.is) {
    case 'command':
      return [
        `$ ${showSuspicious(call.command)}`,
        ...some('description', call.description),
        ...some('directory', call.directory),
      ];
    case 'change':
      return [
        showSuspicious(call.path),
        ...(call.to === null ? [] : [`→ ${showSuspicious(call.to)}`]),
        ...call.edits.flatMap(({ path, before, after }) => [
          ...(path === null ? [] : [showSuspicious(path)]),
          ...hunksBetween(before, after).flatMap((hunk) =>
            hunk.map(({ sign, text }) => `${sign} ${showInvisible(text)}`),
          ),
        ]),
      ];
    case 'read':
      return [showSuspicious(call.path)];
    case 'search':
      return [...some('pattern', call.pattern), ...some('path', call.path)];
    case 'page':
      return [showSuspicious(call.url), ...some('prompt', call.prompt)];
    case 'todos':
      return call.todos.map(({ text, state }) => `${state}: ${showInvisible(text)}`);
    case 'plan':
      return some('plan', call.text);
    case 'agent':
      return [...some('description', call.description), ...some('task', call.task)];
    case 'question':
      return call.questions.map((question) => showInvisible(question));
    case 'fields':
      return [];
  }
}

const field = (name: string, value: string): string => `${visibleLine(name)}: ${showValue(value)}`;

function askText(ask: Ask): string {
  const questions = (ask.questions ?? []).flatMap(({ question, options }) => [
    ...(question === ask.title ? [] : [question]),
    ...options.map(
      ({ label, description }) => `- ${label}${description === undefined ? '' : `: ${description}`}`,
    ),
  ]);
  const form = (ask.form?.fields ?? []).map(({ label, type }) => `- ${label} (${type})`);
  const said = [ask.plan, ask.form?.message, ...questions, ...form].filter((text) => text !== undefined);
  const call = ask.kind === 'approval' && ask.plan === undefined ? callText(toolCallOf(ask)) : '';
  return [...said.map(plainText), call].filter((text) => text !== '').join('\n');
}

/** Words that never make a decision of silence. */
const outcomeWords: Record<Outcome, string> = {
  allowed: 'Allowed',
  denied: 'Denied',
  answered: 'Answered',
  submitted: 'Submitted',
  dismissed: 'Dismissed',
  withdrawn: 'Withdrawn by the agent',
  interrupted: 'Ended by an interrupt',
  expired: 'Expired without an answer',
  lost: 'Lost: the process that asked was gone',
  unknown: 'Decided; whether it reached the agent is not known',
};

function endWords(
  ask: Ask,
  decision: Decision | undefined,
  { outcome, by, reason }: { outcome: Outcome; by: Actor; reason?: string | undefined },
): string {
  const isSomebodys = ['allowed', 'denied', 'answered', 'submitted', 'dismissed'].includes(outcome);
  const who = isSomebodys ? whoWords(by) : '';
  const answer = decision === undefined ? '' : decisionWords(ask, decision);
  return plainText(
    [`${outcomeWords[outcome]}${who}`, answer, reason ?? ''].filter((part) => part !== '').join(': '),
  );
}

function whoWords(by: Actor): string {
  const who = whoOf(by);
  switch (who.is) {
    case 'device':
    case 'terminal':
      return ` on ${who.name}`;
    case 'token':
      return ' with the token';
    case 'library':
      return ' by the program';
    case 'grant':
      return ' by a standing approval';
    default:
      return '';
  }
}

function decisionWords(ask: Ask, decision: Decision): string {
  switch (decision.type) {
    case 'allow':
      return decision.updatedInput === undefined
        ? ''
        : `with changes: ${JSON.stringify(decision.updatedInput)}`;
    case 'deny':
    case 'dismiss':
      return decision.message;
    case 'answer':
      return decision.answers
        .map(({ selected, other }) => [...selected, ...(other ? [other] : [])].join(', '))
        .join('; ');
    case 'submit':
      // The asker says whether what was filled in may be shown when it is over.
      if (ask.form?.completedView !== undefined && ask.form.completedView.showInputs !== true) return '';
      return (ask.form?.fields ?? [])
        .filter(({ id }) => Object.hasOwn(decision.values, id))
        .map(({ id, label }) => `${label}: ${valueText(decision.values[id])}`)
        .join('; ');
  }
}

function turnWords({ outcome, error, durationMs, usage, costUsd }: EventOf<'turn.ended'>): string {
  const facts = [
    ...(durationMs === undefined ? [] : [`${(durationMs / 1000).toFixed(1)} s`]),
    ...(usage === undefined ? [] : [`${usage.inputTokens + usage.outputTokens} tokens`]),
    ...(costUsd === undefined ? [] : [`$${costUsd.toFixed(4)}`]),
    ...(error === undefined ? [] : [error]),
  ];
  return `Turn ${outcome}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`;
}

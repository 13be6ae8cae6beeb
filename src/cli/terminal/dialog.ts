import { valueLine } from '../../model/suspicious-text.ts';
import { saysNothing } from '../../model/tool-call.ts';
import type { AnswerQuestion, Approve, Respond } from '../../protocol/command.ts';
import type { InteractionId } from '../../protocol/ids.ts';
import type { Answer, ApprovalScope, Ask, LeftOpen } from '../../protocol/interaction.ts';
import { oneLine } from '../render/safe-text.ts';
import { fieldsDialog } from './form-dialog.ts';
import { pickAnswer } from './typed-answers.ts';

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
  /** Whether the next line should not be read by others. */
  isSecret?(): boolean;
  /** What was answered was refused, and it is still open: what to say. Without it, the dialog begins anew. */
  again?(): string;
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

/** `isSeen` tells whether all of it has been shown: before, nothing is allowed. */
export function dialogAbout(interaction: AskedInteraction, isSeen: () => boolean = () => true): Dialog {
  switch (interaction.kind) {
    case 'approval':
      return approvalDialog(interaction, isSeen);
    case 'question':
      return questionDialog(interaction);
    case 'form':
      return formDialog(interaction);
  }
}

type Expected =
  | { kind: 'choice' }
  | { kind: 'reason' }
  | { kind: 'confirmation'; body: Approve }
  | { kind: 'fields'; dialog: Dialog };

/** Allow once, for the session or always; deny with a reason. Nothing but a clear word decides: an empty line never does. */
function approvalDialog(interaction: AskedInteraction, isSeen: () => boolean): Dialog {
  const { interactionId } = interaction;
  const keys = keysOf(interaction);
  let expects: Expected = { kind: 'choice' };

  return {
    opening: keys,
    take(line) {
      switch (expects.kind) {
        case 'choice':
          return choose(line.trim());
        case 'reason':
          return deny(line.trim());
        case 'confirmation': {
          const { body } = expects;
          expects = { kind: 'choice' };
          return /^(y|yes)$/i.test(line.trim()) ? fillIn(body) : ask(`Not allowed yet. ${keys}`);
        }
        case 'fields':
          return expects.dialog.take(line);
      }
    },
    isSecret: () => expects.kind === 'fields' && (expects.dialog.isSecret?.() ?? false),
    again() {
      if (expects.kind === 'fields') return expects.dialog.again?.() ?? keys;
      expects = { kind: 'choice' };
      return keys;
    },
  };

  function choose(line: string): DialogStep {
    const [word = '', ...rest] = line.split(/\s+/);
    const more = rest.join(' ');
    switch (word.toLowerCase()) {
      case 'a':
      case 'allow':
      case 'y':
      case 'yes':
        if (interaction.ways !== undefined) return allowBy(interaction.ways, more);
        if (more === '') return allow('once');
        return interaction.plan === undefined
          ? ask(`"${line}" was not understood. ${keys}`)
          : allow('once', { mode: more });
      case 's':
      case 'session':
        return more === '' ? allow('session') : ask(`"${line}" was not understood. ${keys}`);
      case 'always':
        return more === '' ? allow('always') : ask(`"${line}" was not understood. ${keys}`);
      case 'd':
      case 'deny':
      case 'n':
      case 'no':
        if (more !== '') return deny(more);
        expects = { kind: 'reason' };
        return ask('Why? The agent is told (Enter for no reason)');
      case 'v':
        return { type: 'show-all' };
      case '':
        return ask(keys);
      default:
        return ask(`"${line}" was not understood. ${keys}`);
    }
  }

  /** By the number of one of the ways that the agent offers. */
  function allowBy(ways: NonNullable<Ask['ways']>, number: string): DialogStep {
    const way = /^\d+$/.test(number) ? ways[Number(number) - 1] : undefined;
    if (way !== undefined) return allow('once', { way: way.id });
    return ask(`The agent offers several ways: type "allow" and the number of one, from 1 to ${ways.length}`);
  }

  function allow(scope: ApprovalScope, how: Pick<Approve, 'mode' | 'way'> = {}): DialogStep {
    if (!scopesOf(interaction).includes(scope)) return ask(`That is not offered. ${keys}`);
    if (!isSeen()) return ask(`Not all of it was shown, so nothing was allowed: "v" shows it. ${keys}`);
    const body: Approve = {
      requestId: interactionId,
      decision: 'allow',
      scope,
      ...how,
    };
    if (!interaction.defaultToNo) return fillIn(body);
    expects = { kind: 'confirmation', body };
    return ask(
      saysNothing(interaction)
        ? 'The agent did not say what it wants to do. Type "yes" to allow it all the same'
        : 'The agent advises against it. Type "yes" to allow it all the same',
    );
  }

  /** A tool may want something filled in beside the approval. */
  function fillIn(body: Approve): DialogStep {
    if (interaction.tool === undefined || interaction.form === undefined) return approve(body);
    const { scope } = body;
    const approvalScope = scope === undefined ? {} : { approvalScope: scope };
    const dialog = fieldsDialog(interaction.form, {
      done: (input) => ({
        type: 'reply',
        reply: { via: 'respond', body: { interactionId, action: 'approve', ...approvalScope, input } },
      }),
      skipped() {
        expects = { kind: 'choice' };
        return ask(`Not allowed yet. ${keys}`);
      },
    });
    expects = { kind: 'fields', dialog };
    return ask(dialog.opening);
  }

  function deny(reason: string): DialogStep {
    return approve({
      requestId: interactionId,
      decision: 'deny',
      ...(reason === '' ? {} : { reason }),
    });
  }
}

/** Another input in the place of what the agent asked for, as JSON; undefined where it cannot be changed. */
export function inputDialog({ interactionId, kind, tool, plan, ways }: AskedInteraction): Dialog | undefined {
  if (kind !== 'approval' || tool !== undefined || plan !== undefined || ways !== undefined) return undefined;
  const opening = 'Change the input, as JSON; Enter goes on';
  let changed: Record<string, unknown> | undefined;
  return {
    opening,
    take(line) {
      if (changed !== undefined && /^(y|yes)$/i.test(line.trim())) {
        return approve({ requestId: interactionId, decision: 'allow', scope: 'once', updatedInput: changed });
      }
      const value = jsonObject(line);
      if (value === undefined) return ask(`That is no JSON object. ${opening}`);
      changed = value;
      const shown = Object.entries(value).map(
        ([name, each]) => `  ${oneLine(name)}: ${valueLine(JSON.stringify(each))}`,
      );
      return ask(['This will be allowed once instead:', ...shown, 'Type "yes" to allow it'].join('\n'));
    },
  };
}

function jsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** An agent's ask can be allowed for as long as one likes; a tool says what it offers. */
const scopesOf = ({ tool, approvalScopes }: AskedInteraction): readonly ApprovalScope[] =>
  tool === undefined ? ['once', 'session', 'always'] : (approvalScopes ?? ['once']);

function keysOf(interaction: AskedInteraction): string {
  if (interaction.ways !== undefined) return '[a]llow and the number of a way · [d]eny · [v]iew all';
  if (interaction.plan !== undefined) {
    return '[a]pprove the plan ("a MODE" to go on in a mode) · [d]eny with comments · [v]iew all';
  }
  if (interaction.tool === undefined) return '[a]llow once · allow for [s]ession · [d]eny · [v]iew all';
  return [...scopesOf(interaction).map((scope) => scopeKeys[scope]), '[d]eny', '[v]iew all'].join(' · ');
}

const scopeKeys: Record<ApprovalScope, string> = {
  once: '[a]llow once',
  session: 'allow for [s]ession',
  always: 'allow "always"',
};

const ask = (text: string): DialogStep => ({ type: 'ask', text });
const approve = (body: Approve): DialogStep => ({ type: 'reply', reply: { via: 'approve', body } });

/** One question after the other; options by number or label, anything else is free text. */
function questionDialog(interaction: AskedInteraction): Dialog {
  const questions = interaction.questions ?? [];
  const answers: Answer[] = [];

  return {
    opening: promptOf(0),
    take(line) {
      const { interactionId } = interaction;
      if (line.trim() === '/skip') {
        return { type: 'reply', reply: { via: 'respond', body: { interactionId, action: 'cancel' } } };
      }
      const question = questions[answers.length];
      if (question !== undefined) {
        const picked = pickAnswer(line, question, true);
        if (!picked.ok) return { type: 'ask', text: `${picked.hint} ${promptOf(answers.length)}` };
        answers.push(picked.value);
      }
      if (answers.length < questions.length) return { type: 'ask', text: promptOf(answers.length) };
      return {
        type: 'reply',
        reply: { via: 'answer', body: { requestId: interactionId, answers: [...answers] } },
      };
    },
  };

  function promptOf(index: number): string {
    const question = questions[index];
    if (question === undefined) return 'Press Enter to answer, or /skip';
    const which =
      questions.length > 1 ? `${index + 1}/${questions.length} ${oneLine(question.question)} ` : '';
    if (question.options.length === 0) return `${which}Type your answer (/skip to dismiss)`;
    const how = question.multiSelect
      ? 'numbers with commas, or your own words'
      : 'a number, or your own words';
    return `${which}(${how}; /skip to dismiss)`;
  }
}

function formDialog(interaction: AskedInteraction): Dialog {
  const { interactionId } = interaction;
  return fieldsDialog(interaction.form, {
    done: (input) => respond({ action: 'submit', input }),
    skipped: () => respond({ action: 'cancel' }),
  });

  function respond(how: { action: 'submit' | 'cancel'; input?: Record<string, unknown> }): DialogStep {
    return { type: 'reply', reply: { via: 'respond', body: { interactionId, ...how } } };
  }
}

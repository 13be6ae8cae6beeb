import type { Transport } from '../../client/transport.ts';
import { visibleLine } from '../../model/suspicious-text.ts';
import type { GivenAnswers } from '../../protocol/command.ts';
import { type Answer, ApprovalScope, type Interaction } from '../../protocol/interaction.ts';
import { Failure, UsageError } from '../failure.ts';
import { choiceFlag, isSet, type OrderedArgument, type ParsedFlags, textFlag } from '../flags.ts';
import { columns } from '../render/columns.ts';
import { interactionView } from '../render/interaction-view.ts';
import { pendingList } from '../render/listing.ts';
import { whoText } from '../render/outcome-line.ts';
import { oneLine } from '../render/safe-text.ts';
import { shortIds } from '../render/short-ids.ts';
import { type Answered, answerAndSee, answeredLines, waitingWords } from './asked-again.ts';
import { clientCommand, findInteraction, findSession, isShortFor } from './client-command.ts';
import { formValues, pickAnswer } from './typed-answers.ts';

export const pending = clientCommand({
  usage: 'pending [ID] [--session SESSION]',
  mostWords: 1,
  help: "Lists what waits for you, oldest first; with an interaction's ID, shows it whole.",
  flags: { session: { type: 'string' } },
  flagsHelp: '  --session SESSION  of this session only',
  async run({ flags, paint, connect }) {
    const transport = await connect();
    const [id] = flags.positionals;
    if (id !== undefined) {
      const interaction = await findInteraction(transport, id);
      return [{ interaction }, interactionView(interaction, paint, Number.POSITIVE_INFINITY)];
    }
    const session = textFlag(flags, 'session');
    const open = await transport.pending(session && (await findSession(transport, session)).id);
    const ids = new Set(open.map(({ sessionId }) => sessionId));
    const sessions = await Promise.all([...ids].map((one) => transport.session(one)));
    return [{ pending: open }, pendingList(open, sessions, Date.now(), paint)];
  },
});

export const approve = clientCommand({
  usage: 'approve [ID] [FIELD=VALUE…]',
  mostWords: Number.POSITIVE_INFINITY,
  help: `Allows a tool call. ID is an interaction's id or its beginning; with only one open it may be left out.
An interactive tool may want something filled in with it: FIELD=VALUE, by the ids of the fields.`,
  flags: {
    scope: { type: 'string' },
    pattern: { type: 'string' },
    input: { type: 'string' },
    mode: { type: 'string' },
  },
  flagsHelp: `  --scope once|session|always    for how long (once)
  --pattern P       what a standing approval covers: the subject, with * for any run of characters
  --input JSON      allow with this input instead; for an interactive tool, the object of the values to fill in
  --mode MODE       for a plan: the mode to go on in`,
  async run({ flags, connect }) {
    const scope = choiceFlag(flags, 'scope', ApprovalScope.options);
    const pattern = textFlag(flags, 'pattern');
    const mode = textFlag(flags, 'mode');
    const updatedInput = inputOf(flags);
    const pairs = flags.positionals.filter((word) => word.includes('='));
    const transport = await connect();
    const open = await findInteraction(
      transport,
      flags.positionals.find((word) => !word.includes('=')),
    );
    const { interactionId, sessionId, kind, toolName } = open;
    if (kind !== 'approval') throw new Failure(`this is a ${kind}, not an approval: use "beckon answer"`);
    if (pairs.length > 0 && (open.tool === undefined || open.form === undefined)) {
      throw new UsageError(`"${pairs[0]}": there is nothing to fill in here`);
    }
    const { warnings } =
      pattern === undefined
        ? { warnings: [] }
        : await transport.previewPattern({ toolName, pattern, sessionId, interactionId });
    const answered = await answerAndSee(transport, open, () =>
      open.tool !== undefined && open.form !== undefined
        ? transport.respond(sessionId, {
            interactionId,
            action: 'approve',
            ...(scope === undefined ? {} : { approvalScope: scope }),
            input: updatedInput ?? formValues(open.form, pairs),
          })
        : transport.approve(sessionId, {
            requestId: interactionId,
            decision: 'allow',
            ...(scope === undefined ? {} : { scope }),
            ...(pattern === undefined ? {} : { pattern }),
            ...(mode === undefined ? {} : { mode }),
            ...(updatedInput === undefined ? {} : { updatedInput }),
          }),
    );
    return [
      { status: 'ok', ...documentOf(answered), warnings },
      [
        ...answeredLines('allowed', answered, toolName),
        ...warnings.map(({ message }) => `warning: ${visibleLine(message)}`),
        ...(warnings.length === 0 ? [] : ['"beckon grants" lists it, and takes it back with --revoke.']),
      ],
    ];
  },
});

const documentOf = ({ interaction, again }: Answered) => ({
  interaction,
  ...(again === undefined ? {} : { askedAgain: again.interactionId }),
});

function inputOf(flags: ParsedFlags): Record<string, unknown> | undefined {
  const value = jsonFlag(flags, 'input');
  if (value === undefined) return undefined;
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new UsageError('--input must be a JSON object');
}

export const deny = clientCommand({
  usage: 'deny [ID] [--reason R]',
  mostWords: 1,
  help: "Denies a tool call, or dismisses a question or a form. ID is an interaction's id or its beginning; with only one open it may be left out.",
  flags: { reason: { type: 'string' }, interrupt: { type: 'boolean' } },
  flagsHelp: `  --reason R        told to the agent
  --interrupt       end the turn as well`,
  async run({ flags, connect }) {
    const transport = await connect();
    const open = await findInteraction(transport, flags.positionals[0]);
    const { interactionId, sessionId, kind, toolName } = open;
    const text = textFlag(flags, 'reason');
    const reason = text === undefined ? {} : { reason: text };
    const interrupt = isSet(flags, 'interrupt') ? { interrupt: true } : {};
    const interaction =
      kind === 'approval'
        ? await transport.deny(sessionId, { requestId: interactionId, ...reason, ...interrupt })
        : await transport.respond(sessionId, { interactionId, action: 'cancel', ...reason });
    return [
      { status: 'ok', interaction },
      [`${interaction.outcome ?? 'denied'}: ${oneLine(toolName)}${waitingWords(interaction)}`],
    ];
  },
});

export const answer = clientCommand({
  usage: 'answer [ID] PICK… | answer [ID] FIELD=VALUE…',
  mostWords: Number.POSITIVE_INFINITY,
  help: `Answers a question or fills in a form. ID is an interaction's id or its beginning (four characters at least);
with only one open it may be left out.

Each PICK answers one question, in order: an option's number or label, or several with commas.
  beckon answer 3f2a 2                      the second option
  beckon answer 3f2a Postgres "1,3"         two questions, the second with two options
  beckon answer 3f2a --other "a text file"  free text
  beckon answer 3f2a 1 --other "none"       two questions, the second with free text
  beckon answer 3f2a name=Jo size=3         a form, by the ids of its fields; with one field, its value will do`,
  flags: { other: { type: 'string', multiple: true }, 'json-answers': { type: 'string' } },
  flagsHelp: `  --other TEXT      free text as the answer to the next question
  --json-answers A  the answers as the API takes them: [{"selected":["…"],"other":"…"}], or a map by question;
                    for a form, the object of its values`,
  async run({ flags, connect }) {
    const transport = await connect();
    const { open, given } = await targetOf(transport, flags);
    const answered = await answerAndSee(transport, open, async () => reply());
    const word = answered.interaction.outcome ?? 'answered';
    return [{ status: 'ok', ...documentOf(answered) }, answeredLines(word, answered, open.toolName)];

    function reply(): Promise<Interaction> {
      const { interactionId, sessionId } = open;
      switch (open.kind) {
        case 'approval':
          throw new Failure('this is an approval: use "beckon approve" or "beckon deny"');
        case 'question':
          return transport.answer(sessionId, {
            requestId: interactionId,
            answers: answersOf(open, given, flags),
          });
        case 'form':
          return transport.respond(sessionId, {
            interactionId,
            action: 'submit',
            input: valuesOf(open, given, flags),
          });
      }
    }
  },
});

interface Target {
  readonly open: Interaction;
  /** Picks and free texts in the order they were given. */
  readonly given: readonly OrderedArgument[];
}

/** The id may be left out when one interaction is open; then every word must be a pick, lest a mistyped id become an answer. */
async function targetOf(transport: Transport, flags: ParsedFlags): Promise<Target> {
  const given = flags.ordered.filter(
    (argument) => argument.kind === 'positional' || argument.name === 'other',
  );
  const [id] = flags.positionals;
  const pending = await transport.pending();
  const [only, ...others] = pending;
  const isId =
    id !== undefined && pending.some(({ interactionId }) => id.length >= 4 && isShortFor(interactionId, id));
  const isPicks = (open: Interaction) =>
    open.kind === 'form' ||
    (open.questions ?? []).every(({ options }) => options.length > 0 || id === undefined);
  if (!isId && only !== undefined && others.length === 0 && isPicks(only)) return { open: only, given };
  const first = given.findIndex((argument) => argument.kind === 'positional');
  return { open: await findInteraction(transport, id), given: given.filter((_, index) => index !== first) };
}

function answersOf(interaction: Interaction, given: Target['given'], flags: ParsedFlags): GivenAnswers {
  const json = jsonFlag(flags, 'json-answers');
  if (json !== undefined) return json as GivenAnswers;
  const questions = interaction.questions ?? [];
  if (given.length !== questions.length) {
    throw new UsageError(
      `there are ${questions.length} questions and ${given.length} answers: ${questions.map(({ question }) => `"${oneLine(question)}"`).join(', ')}`,
    );
  }
  return questions.map((question, index): Answer => {
    const argument = given[index];
    if (argument === undefined) return { selected: [] };
    if (argument.kind === 'flag') return { selected: [], other: argument.value ?? '' };
    const picked = pickAnswer(argument.value, question, false);
    if (!picked.ok) throw new UsageError(`${picked.hint} (free text is given by --other)`);
    return picked.value;
  });
}

function valuesOf({ form }: Interaction, given: Target['given'], flags: ParsedFlags): unknown {
  return (
    jsonFlag(flags, 'json-answers') ??
    formValues(
      form,
      given.map(({ value = '' }) => value),
    )
  );
}

function jsonFlag(flags: ParsedFlags, name: string): unknown {
  const text = textFlag(flags, name);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`--${name} must be JSON`);
  }
}

export const grants = clientCommand({
  usage: 'grants [--revoke ID]',
  help: 'Lists the standing approvals.',
  flags: { revoke: { type: 'string' } },
  flagsHelp: '  --revoke ID       end this one; the id may be shortened',
  async run({ flags, connect }) {
    const transport = await connect();
    let list = await transport.grants();
    const revoke = textFlag(flags, 'revoke');
    if (revoke !== undefined) {
      const like = list.filter(({ id }) => id.startsWith(revoke));
      await transport.revokeGrant(like.length === 1 && like[0] ? like[0].id : revoke);
      list = await transport.grants();
    }
    const ids = shortIds(list.map(({ id }) => id));
    const lines = columns(
      list.map(({ toolName, pattern, scope, subjectKind, directory, by }, index) => [
        ids[index] ?? '',
        scope,
        subjectKind === 'any' ? 'everything' : oneLine(toolName),
        subjectKind === 'any' ? '' : visibleLine(pattern),
        `(${directory === undefined ? '' : `in ${oneLine(directory)}, `}${whoText(by)})`,
      ]),
    );
    return [{ grants: list }, lines.length === 0 ? ['No standing approvals.'] : lines];
  },
});

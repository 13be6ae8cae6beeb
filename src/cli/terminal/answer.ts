import type { Transport } from '../../client/transport.ts';
import type { GivenAnswers } from '../../protocol/command.ts';
import type { Answer, Interaction } from '../../protocol/interaction.ts';
import type { Command } from '../command.ts';
import { Failure, UsageError } from '../failure.ts';
import { type OrderedArgument, type ParsedFlags, textFlag } from '../flags.ts';
import { oneLine } from '../render/safe-text.ts';
import { clientFlags, clientFlagsHelp, connect, print } from './connect.ts';
import { findInteraction, isShortFor } from './find.ts';
import { formValues } from './form-values.ts';
import { pickAnswer } from './pick-answer.ts';

export const answer: Command = {
  usage: 'answer [ID] PICK… | answer [ID] FIELD=VALUE…',
  help: `Answers a question or fills in a form. ID is an interaction's id or its beginning (four characters at least);
with only one open it may be left out.

Each PICK answers one question, in order: an option's number or label, or several with commas.
  beckon answer 3f2a 2                      the second option
  beckon answer 3f2a Postgres "1,3"         two questions, the second with two options
  beckon answer 3f2a --other "a text file"  free text
  beckon answer 3f2a 1 --other "none"       two questions, the second with free text
  beckon answer 3f2a name=Jo size=3         a form, by the ids of its fields; with one field, its value will do

  --other TEXT      free text as the answer to the next question
  --json-answers A  the answers as the API takes them: [{"selected":["…"],"other":"…"}], or a map by question;
                    for a form, the object of its values
${clientFlagsHelp}`,
  flags: { ...clientFlags, other: { type: 'string', multiple: true }, 'json-answers': { type: 'string' } },
  async run(flags, console) {
    const transport = await connect(flags, console);
    const { open, given } = await targetOf(transport, flags);
    const interaction = await reply();
    print(console, flags, { status: 'ok', interaction }, [
      `${interaction.outcome ?? 'answered'}: ${oneLine(open.toolName)}`,
    ]);
    return 0;

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
};

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
  const json = jsonAnswers(flags);
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
    jsonAnswers(flags) ??
    formValues(
      form,
      given.map(({ value = '' }) => value),
    )
  );
}

function jsonAnswers(flags: ParsedFlags): unknown {
  const text = textFlag(flags, 'json-answers');
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError('--json-answers must be JSON');
  }
}

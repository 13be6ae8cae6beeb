import { z } from 'zod';

/** A JSON Pointer (RFC 6901) into the record it is said of: a call's input, or the detail of its result. */
export const Pointer = z.string();
export type Pointer = z.infer<typeof Pointer>;

/** What a person must not overlook in a call, and where in the input it stands. `dangerous` is what the field's own name says. */
export const CallRisk = z.object({
  kind: z.enum(['background', 'sandbox-off', 'outside-directory', 'dangerous']),
  at: Pointer,
});
export type CallRisk = z.infer<typeof CallRisk>;

const risks = { risks: z.array(CallRisk).optional() };

/**
 * What a tool call does, in words no vendor owns. Its driver says it, for it alone knows the agent's tools. No value is repeated here:
 * each part points into the call's input, so that what is shown is what will run, and what nothing points to can be shown, too.
 */
export const CallShape = z.discriminatedUnion('is', [
  z.object({
    is: z.literal('command'),
    command: Pointer,
    /** The agent's own words on what it is for. */
    description: Pointer.optional(),
    directory: Pointer.optional(),
    ...risks,
  }),
  z.object({
    is: z.literal('change'),
    /** `write` puts a whole file there, whatever was there before. */
    does: z.enum(['write', 'edit', 'delete', 'move']),
    path: Pointer,
    /** Where a file is moved to. */
    to: Pointer.optional(),
    /** None where what is changed is not told in a known way. */
    edits: z.array(
      z.object({
        /** Of another file than the one above. */
        path: Pointer.optional(),
        before: Pointer.optional(),
        after: Pointer,
        /** Points to a flag. Where it is true, every place where the old text stands is changed. */
        everywhere: Pointer.optional(),
      }),
    ),
    ...risks,
  }),
  z.object({ is: z.literal('read'), path: Pointer, ...risks }),
  z.object({
    is: z.literal('search'),
    in: z.enum(['text', 'names', 'directory', 'web']),
    pattern: Pointer.optional(),
    path: Pointer.optional(),
    ...risks,
  }),
  z.object({ is: z.literal('page'), url: Pointer, prompt: Pointer.optional(), ...risks }),
  z.object({
    is: z.literal('todos'),
    todos: z.array(z.object({ text: Pointer, state: z.enum(['open', 'active', 'done']) })),
    ...risks,
  }),
  z.object({ is: z.literal('plan'), text: Pointer.optional(), ...risks }),
  z.object({
    is: z.literal('agent'),
    task: Pointer.optional(),
    description: Pointer.optional(),
    ...risks,
  }),
  z.object({ is: z.literal('question'), questions: z.array(Pointer), ...risks }),
  /** Whatever else: a name and fields. `title` is the field that tells most. */
  z.object({ is: z.literal('fields'), title: Pointer.optional(), ...risks }),
]);
export type CallShape = z.infer<typeof CallShape>;

/** What a tool call brought, beside its text. Pointers lead into the result's `detail`. */
export const ResultShape = z.object({
  /** Of a command that has ended; none for one that was not run, or runs on in the background. */
  exitCode: z.number().optional(),
  /** How much came out. */
  amount: z.object({ of: z.enum(['lines', 'files']), count: z.number() }).optional(),
  /** The file, or the part of it that was read. */
  file: z.object({ path: Pointer, text: Pointer, firstLine: z.number() }).optional(),
  /** A list of hunks, each `{ oldStart, newStart, lines }` with lines that begin with ' ', '+' or '-'. */
  patch: Pointer.optional(),
  changed: z.object({ added: z.number(), removed: z.number() }).optional(),
  /** It only started something that goes on: its text does not tell what came of it. */
  goesOn: z.boolean().optional(),
  /** The plan as it was approved, where it was edited before. */
  plan: Pointer.optional(),
});
export type ResultShape = z.infer<typeof ResultShape>;

import { z } from 'zod';
import { defineTool } from '../sdk/define-tool.ts';
import type { Field } from '../sdk/field.ts';

/** The tool that every agent has: ask the person something, and wait for the answer. */
export const askUser = defineTool({
  name: 'ask_user',
  description:
    'Asks the person you work for a question and waits for the answer. Use it when you cannot go on without knowing something that only they know or decide. ' +
    'Gives {"ok":true,"answer":"…"}, or {"ok":false,"cancelled":true} when they would not answer. ' +
    'With {"status":"queued"} nobody is there: go on with what does not depend on it, or end your turn; the answer will reach you as a message.',
  input: z
    .object({
      question: z.string().min(1).describe('The question, complete in itself.'),
      inputType: z
        .enum(['text', 'textarea', 'select'])
        .optional()
        .describe('One line (text), several (textarea), or one of the options (select).'),
      options: z.array(z.string().min(1)).min(1).optional().describe('What can be chosen, for select.'),
    })
    .refine(({ inputType, options }) => inputType !== 'select' || options !== undefined, {
      path: ['options'],
      message: 'needed for select',
    })
    .refine(({ options = [] }) => new Set(options).size === options.length, {
      path: ['options'],
      message: 'two are the same',
    }),
  handler: ({ question, inputType, options }, context) =>
    context.requestInteraction({
      type: 'input',
      prompt: question,
      inputSchema: { type: 'form', fields: [answerField(inputType, options)] },
      presentation: 'questionnaire',
      timeoutMs: 0,
      whenNobody: 'leave open',
      onResponse: (response) =>
        response.action === 'submit'
          ? { complete: { ok: true, answer: response.input.answer } }
          : { complete: { ok: false, cancelled: true } },
    }),
});

function answerField(
  inputType: 'text' | 'textarea' | 'select' | undefined,
  options: readonly string[] | undefined,
): Field {
  const common = { id: 'answer', label: 'Answer', required: true };
  return options !== undefined && (inputType === undefined || inputType === 'select')
    ? { ...common, type: 'select', options }
    : { ...common, type: inputType === 'textarea' ? 'textarea' : 'text' };
}

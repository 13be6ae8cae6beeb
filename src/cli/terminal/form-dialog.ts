import type { Form, FormField } from '../../protocol/interaction.ts';
import { isSecretField, kindWords, valueWords } from '../render/field-words.ts';
import { oneLine } from '../render/safe-text.ts';
import type { Dialog, DialogStep } from './dialog.ts';
import { fieldsOf, pickValue } from './typed-answers.ts';

/**
 * One field after the other, each checked as it is typed in, with a way back; what was filled in is shown before it is sent. A value that
 * does not fit leaves the others as they are.
 */
export function fieldsDialog(
  form: Form | undefined,
  then: {
    readonly done: (values: Record<string, unknown>) => DialogStep;
    readonly skipped: () => DialogStep;
  },
): Dialog {
  const fields = fieldsOf(form);
  const values = new Map<string, unknown>();
  /** The field that is asked for; behind the last one comes the review. */
  let at = 0;
  let isReviewed = false;

  return {
    opening: prompt(),
    isSecret: () => fields.some((field, index) => index === at && isSecretField(field)),
    again: () => review('Not sent.'),
    take(line) {
      const word = line.trim();
      if (word === '/skip') return then.skipped();
      if (word === '/back') return at === 0 ? say(`This is the first. ${prompt()}`) : goTo(at - 1);
      const field = fields[at];
      return field === undefined ? confirm(word) : fill(field, line);
    },
  };

  function fill(field: FormField, line: string): DialogStep {
    if (line.trim() === '/none') {
      if (field.required) return say(`"${oneLine(field.label)}" is required. ${prompt()}`);
      values.delete(field.id);
    } else if (line.trim() !== '' || !values.has(field.id)) {
      const picked = pickValue(line, field);
      if (!picked.ok) return say(`${oneLine(picked.hint)} ${prompt()}`);
      if (picked.value === undefined) values.delete(field.id);
      else values.set(field.id, picked.value);
    }
    // Of one field alone, what was just typed is all there is to look at.
    if (fields.length === 1) return then.done(Object.fromEntries(values));
    return goTo(isReviewed ? fields.length : at + 1);
  }

  function confirm(word: string): DialogStep {
    if (/^(y|yes|send)$/i.test(word)) return then.done(Object.fromEntries(values));
    const number = Number(word);
    const isField = Number.isInteger(number) && number >= 1 && number <= fields.length;
    return isField ? goTo(number - 1) : say(prompt());
  }

  function goTo(next: number): DialogStep {
    at = next;
    if (at === fields.length) isReviewed = true;
    return say(prompt());
  }

  function prompt(): string {
    const field = fields[at];
    if (field !== undefined) return fieldPrompt(field, at, fields.length, values.get(field.id));
    return fields.length === 0 ? 'Type "yes" to agree, or /skip' : review('This is what you filled in:');
  }

  function review(head: string): string {
    at = fields.length;
    isReviewed = true;
    const lines = fields.map((field, index) => {
      const told = values.has(field.id) ? valueWords(field, values.get(field.id)) : '–';
      return `  ${index + 1}. ${oneLine(field.label)}: ${told}`;
    });
    return [head, ...lines, '"yes" sends it · a number changes that one · /skip dismisses'].join('\n');
  }
}

const say = (text: string): DialogStep => ({ type: 'ask', text });

const optionsInALine = 4;

function fieldPrompt(field: FormField, at: number, count: number, typed: unknown): string {
  const which = count > 1 ? `${at + 1}/${count} ` : '';
  const kind = `${kindWords(field)}${field.required ? '' : ', optional'}`;
  const value = typed ?? field.defaultValue;
  const byDefault = value === undefined ? '' : ` [${valueWords(field, value)}]`;
  const options = (field.options ?? []).map(({ label }, index) => `${index + 1}. ${oneLine(label)}`);
  return [
    `${which}${oneLine(field.label)} (${kind})${byDefault}`,
    ...(field.description === undefined ? [] : [`  ${oneLine(field.description)}`]),
    ...(options.length === 0
      ? []
      : options.length <= optionsInALine
        ? [`  ${options.join('  ')}`]
        : options.map((option) => `  ${option}`)),
    `(${[
      value === undefined ? undefined : 'Enter takes what is in brackets',
      !field.required && value !== undefined ? '/none leaves it empty' : undefined,
      at > 0 ? '/back' : undefined,
      '/skip to dismiss',
    ]
      .filter((part) => part !== undefined)
      .join('; ')})`,
  ].join('\n');
}

import type { Decision, FormField } from '../protocol/interaction.ts';
import { isObject, type JsonObject, listAt, numberAt, objectAt, textAt, textsAt } from './fields.ts';

/** The fields of a form that is described by a JSON schema. */
export function formFields(schema: JsonObject, order: readonly string[] = []): FormField[] {
  const properties = objectAt(schema, 'properties') ?? {};
  const required = new Set(textsAt(schema, 'required'));
  const ids = new Set([...order.filter((id) => Object.hasOwn(properties, id)), ...Object.keys(properties)]);
  return [...ids].map((id) => {
    const property = properties[id];
    return fieldOf(id, isObject(property) ? property : {}, required.has(id));
  });
}

function fieldOf(id: string, property: JsonObject, required: boolean): FormField {
  const description = textAt(property, 'description');
  const options = optionsOf(property);
  return {
    id,
    ...kindOf(property, options.length > 0),
    label: textAt(property, 'title') ?? id,
    required,
    ...(description !== undefined && { description }),
    ...(property.default !== undefined && { defaultValue: property.default }),
    ...(options.length > 0 && { options }),
    ...boundsOf(property),
  };
}

function kindOf(property: JsonObject, hasOptions: boolean): Pick<FormField, 'type' | 'integer'> {
  switch (property.type) {
    case 'boolean':
      return { type: 'checkbox' };
    case 'integer':
      return { type: 'number', integer: true };
    case 'number':
      return { type: 'number' };
    case 'array':
      return { type: 'multiselect' };
    default:
      if (hasOptions) return { type: 'select' };
      return { type: property.format === 'date' ? 'date' : 'text' };
  }
}

/** Choices come as an enum, with names beside it, or as constants with titles; for several, inside `items`. */
function optionsOf(property: JsonObject): NonNullable<FormField['options']> {
  const holder = objectAt(property, 'items') ?? property;
  const titled = [...listAt(holder, 'oneOf'), ...listAt(holder, 'anyOf')].flatMap((choice) => {
    const value = textAt(choice, 'const');
    return value === undefined ? [] : [{ value, label: textAt(choice, 'title') ?? value }];
  });
  if (titled.length > 0) return titled;
  const names = textsAt(holder, 'enumNames');
  return textsAt(holder, 'enum').map((value, index) => ({ value, label: names[index] ?? value }));
}

function boundsOf(property: JsonObject): Partial<FormField> {
  const bounds: Partial<FormField> = {};
  for (const name of ['minimum', 'maximum', 'minLength', 'maxLength'] as const) {
    const bound = numberAt(property, name);
    if (bound !== undefined) bounds[name] = bound;
  }
  const format = textAt(property, 'format');
  return format === undefined ? bounds : { ...bounds, format };
}

/** What is answered to a form of an MCP server. */
export function formAnswer(decision: Decision): FormAnswer {
  switch (decision.type) {
    case 'submit':
      return { action: 'accept', content: decision.values };
    case 'allow':
      return { action: 'accept', content: {} };
    case 'deny':
      return { action: 'decline' };
    case 'dismiss':
      return { action: 'cancel' };
    case 'answer':
      throw new TypeError('A form cannot be settled by answers to questions');
  }
}

export type FormAnswer =
  | { readonly action: 'accept'; readonly content: JsonObject }
  | { readonly action: 'decline' | 'cancel' };

import { checkForm } from '../../model/form.ts';
import type { Form, FormField } from '../../protocol/interaction.ts';
import type { MessageKey } from '../i18n/i18n.ts';
import { type CardDraft, fieldDraft, sentValue } from './draft.logic.ts';

/** What is wrong with a field, in words of the page: the model says whether, the field itself what was expected. */
export interface FieldFault {
  readonly key: MessageKey;
  readonly values: Readonly<Record<string, string | number>>;
}

export function faultsIn(form: Form, draft: CardDraft): ReadonlyMap<string, FieldFault> {
  const faults = form.fields.flatMap((field) => {
    const fault = faultIn(form, field, draft);
    return fault === undefined ? [] : [[field.id, fault] as const];
  });
  return new Map(faults);
}

export function faultIn(form: Form, field: FormField, draft: CardDraft): FieldFault | undefined {
  const value = sentValue(field, fieldDraft(form, field, draft));
  const alone: Form = { message: '', presentation: 'tool', fields: [field] };
  if (checkForm(alone, value === undefined ? {} : { [field.id]: value }).ok) return undefined;
  const isMissing = value === undefined || (Array.isArray(value) && value.length === 0);
  return isMissing ? { key: 'form.required', values: {} } : expected(field);
}

function expected(field: FormField): FieldFault {
  switch (field.type) {
    case 'number':
      return expectedNumber(field);
    case 'date':
      return { key: 'form.date', values: {} };
    case 'text':
    case 'textarea':
      return expectedText(field);
    case 'select':
    case 'radio':
    case 'checkbox':
    case 'multiselect':
      return { key: 'form.choice', values: {} };
  }
}

function expectedNumber({ minimum, maximum, integer }: FormField): FieldFault {
  const whole = integer === true ? 'Whole' : 'Any';
  if (minimum !== undefined && maximum !== undefined)
    return { key: `form.number${whole}Between`, values: { minimum, maximum } };
  if (minimum !== undefined) return { key: `form.number${whole}From`, values: { minimum } };
  if (maximum !== undefined) return { key: `form.number${whole}To`, values: { maximum } };
  return { key: `form.number${whole}`, values: {} };
}

function expectedText({ format, minLength, maxLength }: FormField): FieldFault {
  if (format === 'email') return { key: 'form.email', values: {} };
  if (format === 'uri') return { key: 'form.uri', values: {} };
  if (minLength !== undefined && maxLength !== undefined)
    return { key: 'form.lengthBetween', values: { minLength, maxLength } };
  if (minLength !== undefined) return { key: 'form.lengthFrom', values: { minLength } };
  return { key: 'form.lengthTo', values: { maxLength: maxLength ?? 0 } };
}

/** An address that may be offered as a link: only of the web, with its host as the browser will read it. */
export function safeAddress(url: string): { readonly href: string; readonly host: string } | undefined {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) return undefined;
  return { href: parsed.href, host: parsed.host };
}

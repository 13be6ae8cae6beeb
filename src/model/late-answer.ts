import type { Ask, Decision, FormField } from '../protocol/interaction.ts';

const LONGEST_TITLE = 300;

/** An answer that comes after the tool's call, in words for the agent, where the tool cannot say what it makes of it. */
export function lateAnswerText(ask: Pick<Ask, 'title' | 'form'>, decision: Decision): string {
  const about = `Answer to your earlier question "${inOneLine(ask.title)}":`;
  switch (decision.type) {
    case 'allow':
      return withValues(`${about} ${approvals[decision.scope]}`, ask, decision.values ?? {});
    case 'deny':
      return `${about} denied. ${decision.message}`;
    case 'dismiss':
      return `${about} dismissed without an answer. ${decision.message}`;
    case 'answer':
      return `${about} ${decision.answers.map(({ selected, other }) => [...selected, ...(other === undefined ? [] : [other])].join(', ')).join('; ')}`;
    case 'submit':
      return submitted(about, ask, decision.values);
  }
}

/** Why something was denied, in words for an agent that takes no reason with a denial. */
export const denialText = ({ title }: Pick<Ask, 'title'>, reason: string): string =>
  `What you asked for with "${inOneLine(title)}" was denied. The reason: ${reason}`;

const approvals = {
  once: 'approved.',
  session: 'approved, for the rest of this session.',
  always: 'approved, from now on.',
} as const;

/** One value stands for itself; several are named. */
function submitted(about: string, ask: Pick<Ask, 'form'>, values: Readonly<Record<string, unknown>>): string {
  const [only, ...others] = Object.values(values);
  if (only === undefined) return `${about} submitted, with nothing filled in.`;
  return others.length === 0 && ask.form?.fields.length === 1
    ? `${about} ${valueText(only)}`
    : withValues(about, ask, values);
}

function withValues(
  head: string,
  { form }: Pick<Ask, 'form'>,
  values: Readonly<Record<string, unknown>>,
): string {
  const labelOf = (id: string): string => labelled(form?.fields ?? [], id);
  const lines = Object.entries(values).map(([id, value]) => `- ${labelOf(id)}: ${valueText(value)}`);
  return [head, ...lines].join('\n');
}

const labelled = (fields: readonly FormField[], id: string): string => {
  const label = fields.find((field) => field.id === id)?.label;
  return label === undefined || label === id ? id : `${inOneLine(label)} (${id})`;
};

/** A value as it was filled in, in words. */
export function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(valueText).join(', ');
  return JSON.stringify(value) ?? '';
}

function inOneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  const characters = [...line];
  return characters.length <= LONGEST_TITLE ? line : `${characters.slice(0, LONGEST_TITLE - 1).join('')}…`;
}

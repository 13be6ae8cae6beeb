import { CircleAlert } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import type { FormField } from '../../protocol/interaction.ts';
import { plainText } from '../text/plain-text.ts';

export interface FieldIds {
  readonly id: string;
  readonly 'aria-describedby'?: string;
  readonly 'aria-invalid'?: true;
}

export interface FieldFrameProps {
  readonly field: FormField;
  readonly error: string | undefined;
  /** More than the asker's own words on what belongs here. */
  readonly hint?: string | undefined;
  /** Beside the label: a way to more room. */
  readonly action?: ReactNode;
  readonly children: (ids: FieldIds) => ReactNode;
}

/** A field with one control: label and help above it, what is wrong below it, all tied together for assistive technology. */
export function FieldFrame({ field, error, hint, action, children }: FieldFrameProps) {
  const { ids, hintId, errorId } = useFieldIds(field, error, hint);
  return (
    <div data-field={field.id} className="flex min-w-0 flex-col gap-1">
      <div className="flex min-w-0 items-end gap-1">
        <p className="min-w-0 flex-1">
          <label htmlFor={ids.id} className="font-medium text-sm wrap-anywhere">
            {labelOf(field)}
          </label>
          <NeededMark field={field} />
        </p>
        {action}
      </div>
      <Help id={hintId} field={field} hint={hint} />
      {children(ids)}
      <Fault id={errorId}>{error}</Fault>
    </div>
  );
}

/** A field with several controls, such as choices: the label belongs to all of them. */
export function FieldGroup({
  field,
  error,
  hint,
  isOneOf,
  children,
}: Omit<FieldFrameProps, 'action' | 'children'> & {
  /** Whether exactly one of them is chosen. */
  readonly isOneOf: boolean;
  readonly children: ReactNode;
}) {
  const { ids, hintId, errorId } = useFieldIds(field, error, hint);
  const about = ids['aria-describedby'] === undefined ? {} : { 'aria-describedby': ids['aria-describedby'] };
  const state = isOneOf
    ? {
        role: 'radiogroup',
        'aria-required': field.required,
        ...(error === undefined ? {} : { 'aria-invalid': true }),
      }
    : {};
  return (
    <fieldset data-field={field.id} {...about} {...state} className="flex min-w-0 flex-col gap-1">
      <legend className="float-left min-w-0 p-0">
        <span className="font-medium text-sm wrap-anywhere">{labelOf(field)}</span>
        <NeededMark field={field} />
      </legend>
      <Help id={hintId} field={field} hint={hint} />
      {children}
      <Fault id={errorId}>{error}</Fault>
    </fieldset>
  );
}

export const labelOf = ({ label, id }: FormField): string => plainText(label || id);

/** The mark is explained once for the whole form; assistive technology is told by the control itself. */
const NeededMark = ({ field: { required, type } }: { readonly field: FormField }) =>
  required && type !== 'checkbox' ? (
    <span aria-hidden className="ml-0.5 text-soft">
      *
    </span>
  ) : null;

function useFieldIds(field: FormField, error: string | undefined, hint: string | undefined) {
  const id = useId();
  const hintId = `${id}-hint`;
  const errorId = `${id}-error`;
  const isHelped = field.description !== undefined || hint !== undefined;
  const about = [...(isHelped ? [hintId] : []), ...(error === undefined ? [] : [errorId])];
  const ids: FieldIds = {
    id,
    ...(about.length === 0 ? {} : { 'aria-describedby': about.join(' ') }),
    ...(error === undefined ? {} : { 'aria-invalid': true }),
  };
  return { ids, hintId, errorId };
}

export function Help({
  id,
  field: { description },
  hint,
}: {
  readonly id: string;
  readonly field: FormField;
  readonly hint?: string | undefined;
}) {
  if (description === undefined && hint === undefined) return null;
  const said = [description === undefined ? undefined : plainText(description), hint].filter(Boolean);
  return (
    <p id={id} className="whitespace-pre-line text-faint text-xs wrap-anywhere">
      {said.join(' ')}
    </p>
  );
}

export function Fault({ id, children }: { readonly id: string; readonly children: string | undefined }) {
  if (children === undefined) return null;
  return (
    <p id={id} className="flex items-start gap-1 text-fail-ink text-xs">
      <CircleAlert aria-hidden className="mt-0.5 size-3 shrink-0" />
      <span className="min-w-0 wrap-anywhere">{children}</span>
    </p>
  );
}

import { CircleAlert } from 'lucide-react';
import { useT } from '../i18n/i18n.ts';
import { plainText } from '../text/plain-text.ts';
import { cx } from '../ui/class-names.ts';
import { labelOf } from './field-frame.tsx';
import { FormFieldView } from './form-field.tsx';
import { isAnswerable } from './interaction-card.logic.ts';
import type { Card } from './use-card.ts';
import type { FormModel } from './use-form.ts';

/** Why it is asked again, what is wrong, and the fields themselves. */
export function FormFields({
  card,
  model,
  isLarge,
  isCompact = false,
}: {
  readonly card: Card;
  readonly model: FormModel;
  readonly isLarge: boolean;
  readonly isCompact?: boolean;
}) {
  const t = useT();
  const { form, faults } = model;
  const gap = isCompact ? 'gap-2.5' : 'gap-4';
  const isMarked =
    !isCompact &&
    form.fields.length > 1 &&
    form.fields.some(({ required, type }) => required && type !== 'checkbox');
  return (
    <div ref={model.area} className={cx('flex min-w-0 flex-col empty:hidden', gap)}>
      {form.error !== undefined && <Why>{plainText(form.error)}</Why>}
      {faults.length > 0 && <Faults model={model} />}
      {form.fields.length > 0 && (
        <fieldset
          disabled={!card.isEnabled || !isAnswerable(card.state)}
          className={cx('flex min-w-0 flex-col', gap)}
        >
          {isMarked && (
            <p aria-hidden className="-mb-2 text-faint text-xs">
              {t('form.marked')}
            </p>
          )}
          {form.fields.map((field) => (
            <FormFieldView
              key={field.id}
              form={form}
              field={field}
              card={card}
              isLarge={isLarge}
              error={model.errorOf(field.id)}
              onLeave={() => model.leave(field.id)}
              onTouch={() => model.touch(field.id)}
            />
          ))}
        </fieldset>
      )}
    </div>
  );
}

const box =
  'flex items-start gap-2 rounded-ui border border-fail-edge bg-fail-tint px-3 py-2 text-fail-ink text-sm';

/** Said at once to those who listen; it takes the focus only from whoever gave the answer. */
const Why = ({ children }: { readonly children: string }) => (
  <p role="alert" data-why tabIndex={-1} className={box}>
    <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
    <span className="min-w-0 whitespace-pre-wrap wrap-anywhere">{children}</span>
  </p>
);

/** Several things at once: a list that leads to each. One alone is told at its field. */
function Faults({ model: { form, faults, goTo } }: { readonly model: FormModel }) {
  const t = useT();
  const count = <p role="alert">{t('form.faults', { count: faults.length })}</p>;
  if (faults.length === 1) return <div className="sr-only">{count}</div>;
  const names = new Map(form.fields.map((field) => [field.id, labelOf(field)]));
  return (
    <div data-faults tabIndex={-1} className={box}>
      <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      <div className="flex min-w-0 flex-col gap-0.5">
        <div className="font-medium">{count}</div>
        <ul className="flex flex-col">
          {faults.map(({ id, text }) => (
            <li key={id} className="min-w-0">
              <button
                type="button"
                onClick={() => goTo(id)}
                className="min-h-6 text-left underline decoration-fail-edge underline-offset-2 wrap-anywhere hover:decoration-current pointer-coarse:min-h-11"
              >
                {names.get(id)} – {text}
              </button>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

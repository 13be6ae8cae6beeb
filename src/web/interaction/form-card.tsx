import { CircleAlert, ExternalLink } from 'lucide-react';
import { showSuspicious } from '../../model/suspicious-text.ts';
import { useT } from '../i18n/i18n.ts';
import { plainText } from '../text/plain-text.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/class-names.ts';
import { deny, dismiss, submit } from './answers-to.ts';
import { Sentence, ToolArguments } from './ask-body.tsx';
import { labelOf } from './field-frame.tsx';
import { safeAddress } from './form.logic.ts';
import { FormFieldView } from './form-field.tsx';
import { isAnswerable } from './interaction-card.logic.ts';
import { buttonState, type Card, isSubmitKey } from './use-card.ts';
import { type FormModel, useForm } from './use-form.ts';

/** What a tool wants filled in, or an address that a server wants visited. */
export function FormCard({
  card,
  isLarge = false,
  isCompact = false,
}: {
  readonly card: Card;
  readonly isLarge?: boolean;
  readonly isCompact?: boolean;
}) {
  const t = useT();
  const { interaction, draft } = card;
  const model = useForm(card);
  const { form } = model;
  const size = isCompact ? 'sm' : 'md';
  const send = (): void => model.check(() => card.press('submit', submit(interaction, draft)));
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the key works from every field in it
    <div
      className={cx('flex min-h-0 flex-col', isCompact ? 'gap-2' : 'gap-4')}
      onKeyDown={(event) => {
        if (!isSubmitKey(event)) return;
        event.preventDefault();
        send();
      }}
    >
      {!isCompact && (
        <div className="flex flex-col gap-1">
          <Sentence>{plainText(form.message || interaction.title)}</Sentence>
          {form.source !== undefined && interaction.tool === undefined && (
            <p className="text-faint text-sm">{t('form.source', { source: plainText(form.source) })}</p>
          )}
          {interaction.tool !== undefined && <ToolArguments interaction={interaction} />}
        </div>
      )}
      {form.url !== undefined && <Address url={form.url} />}
      <FormFields card={card} model={model} isLarge={isLarge} isCompact={isCompact} />
      {card.isEnabled && (
        <div className="flex flex-wrap items-center gap-2">
          <Button
            size={size}
            variant="ghost"
            {...buttonState(card, 'dismiss')}
            onClick={() => card.press('dismiss', dismiss(interaction))}
          >
            {t('ask.dismiss')}
          </Button>
          {form.presentation === 'questionnaire' && interaction.tool === undefined && (
            <Button
              size={size}
              variant="danger"
              {...buttonState(card, 'decline')}
              onClick={() => card.press('decline', deny(interaction, '', false))}
            >
              {t('form.decline')}
            </Button>
          )}
          <Button
            size={size}
            variant="primary"
            {...buttonState(card, 'submit')}
            onClick={send}
            className="ml-auto"
          >
            {form.url !== undefined && form.fields.length === 0 ? t('form.done') : t('form.submit')}
          </Button>
        </div>
      )}
    </div>
  );
}

/** Another's page: its host is told plainly, and only an address of the web becomes a link. */
function Address({ url }: { readonly url: string }) {
  const t = useT();
  const address = safeAddress(url);
  return (
    <div className="flex flex-col gap-1.5 rounded-tight border border-line bg-sunken px-3 py-2.5">
      <p className="text-sm text-soft">
        {address === undefined ? t('form.addressOdd') : t('form.address', { host: address.host })}
      </p>
      <p className="font-mono text-xs wrap-anywhere">{showSuspicious(url)}</p>
      {address !== undefined && (
        <a
          href={address.href}
          target="_blank"
          rel="noopener noreferrer"
          className="inline-flex min-h-7 items-center gap-1.5 self-start font-medium text-sm underline pointer-coarse:min-h-11"
        >
          <ExternalLink aria-hidden className="size-3.5" />
          {t('form.open', { host: address.host })}
        </a>
      )}
    </div>
  );
}

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

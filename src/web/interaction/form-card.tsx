import { ExternalLink } from 'lucide-react';
import { useState } from 'react';
import type { Form } from '../../protocol/interaction.ts';
import { useT } from '../i18n/i18n.ts';
import { plainText, showInvisible } from '../text/plain-text.ts';
import { Button } from '../ui/button.tsx';
import { deny, dismiss } from './answers-to.ts';
import { Sentence } from './ask-body.tsx';
import { valuesOf } from './draft.logic.ts';
import { faultsIn, safeAddress } from './form.logic.ts';
import { FormFieldView } from './form-field.tsx';
import { fieldRefused, isAnswerable } from './interaction-card.logic.ts';
import { isSubmitKey } from './submit-key.ts';
import { buttonState, type Card } from './use-card.ts';

const empty: Form = { message: '', fields: [], presentation: 'tool' };

/** What a tool wants filled in, or an address that a server wants visited. */
export function FormCard({ card }: { readonly card: Card }) {
  const t = useT();
  const { interaction, draft } = card;
  const form = interaction.form ?? empty;
  const [wasTried, setTried] = useState(false);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const faults = faultsIn(form, draft);
  const refused = fieldRefused(card.state);
  const errorOf = (id: string): string | undefined => {
    const fault = wasTried || left.has(id) ? faults.get(id) : undefined;
    if (fault !== undefined) return t(fault.key, fault.values);
    return refused?.field === `input.${id}` ? refused.message : undefined;
  };
  const submit = (): void => {
    setTried(true);
    if (faults.size > 0) return;
    const { sessionId, interactionId } = interaction;
    card.press('submit', (transport) =>
      transport.respond(sessionId, { interactionId, action: 'submit', input: valuesOf(form, draft) }),
    );
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the key works from every field in it
    <div
      className="flex flex-col gap-4"
      onKeyDown={(event) => {
        if (!isSubmitKey(event)) return;
        event.preventDefault();
        submit();
      }}
    >
      <div className="flex flex-col gap-1">
        <Sentence>{plainText(form.message || interaction.title)}</Sentence>
        {form.source !== undefined && (
          <p className="text-faint text-sm">{t('form.source', { source: plainText(form.source) })}</p>
        )}
      </div>
      {form.url !== undefined && <Address url={form.url} />}
      {form.fields.length > 0 && (
        <fieldset
          disabled={!card.isEnabled || !isAnswerable(card.state)}
          className="flex min-w-0 flex-col gap-4"
        >
          {form.fields.map((field) => (
            <FormFieldView
              key={field.id}
              field={field}
              card={card}
              error={errorOf(field.id)}
              onLeave={() => setLeft((before) => new Set([...before, field.id]))}
            />
          ))}
        </fieldset>
      )}
      {wasTried && faults.size > 0 && (
        <p role="alert" className="-mb-2 text-right text-fail-ink text-sm">
          {t('form.faults', { count: faults.size })}
        </p>
      )}
      {card.isEnabled && (
        <div className="flex flex-wrap items-center gap-2">
          <Button
            variant="ghost"
            {...buttonState(card, 'dismiss')}
            onClick={() => card.press('dismiss', dismiss(interaction))}
          >
            {t('ask.dismiss')}
          </Button>
          {form.presentation === 'questionnaire' && (
            <Button
              variant="danger"
              {...buttonState(card, 'decline')}
              onClick={() => card.press('decline', deny(interaction, '', false))}
            >
              {t('form.decline')}
            </Button>
          )}
          <span className="flex-1" />
          <Button variant="primary" {...buttonState(card, 'submit')} onClick={submit}>
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
      <p className="font-mono text-xs wrap-anywhere">{showInvisible(url)}</p>
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

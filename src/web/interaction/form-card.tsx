import { ExternalLink } from 'lucide-react';
import { showSuspicious } from '../../model/suspicious-text.ts';
import { useT } from '../i18n/i18n.ts';
import { plainText } from '../text/plain-text.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/class-names.ts';
import { deny, dismiss, submit } from './answers-to.ts';
import { Sentence } from './ask-body.tsx';
import { safeAddress } from './form.logic.ts';
import { FormFields } from './form-fields.tsx';
import { isSubmitKey } from './submit-key.ts';
import { ToolArguments } from './tool-arguments.tsx';
import { buttonState, type Card } from './use-card.ts';
import { useForm } from './use-form.ts';

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

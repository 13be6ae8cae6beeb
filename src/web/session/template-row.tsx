import { BookmarkPlus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Template } from '../../protocol/template.ts';
import { useTransport } from '../data/room-context.tsx';
import { useList } from '../data/use-list.ts';
import { useT } from '../i18n/i18n.ts';
import { errorText } from '../text/error-text.ts';
import { announce } from '../ui/announcer.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Field, Input, Select } from '../ui/field.tsx';
import { isKey } from '../ui/keys.ts';

/** Prompts that are used again: one is chosen, the one that stands there is kept, one is removed. */
export function TemplateRow({
  prompt,
  machine,
  hasWorktree,
  chosen,
  onChoose,
}: {
  readonly prompt: string;
  /** Where the session is to run; empty for the server's own. */
  readonly machine: string;
  /** Whether the session is to have one of its own. */
  readonly hasWorktree: boolean;
  /** The name of the one that was chosen. */
  readonly chosen: string;
  readonly onChoose: (template: Template | null) => void;
}) {
  const t = useT();
  const transport = useTransport();
  const [list, readAgain] = useList(transport.templates);
  const [name, setName] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  const templates = list.is === 'there' ? list.items : [];
  const isKnown = templates.some((template) => template.name === chosen);

  const change = async (changing: Promise<void>, told: string, next: Template | null): Promise<void> => {
    setError(null);
    try {
      await changing;
      announce(told);
      setName(null);
      onChoose(next);
      readAgain();
    } catch (refused) {
      setError(errorText(t, refused));
    }
  };
  const save = (as: string): void => {
    const template = {
      name: as.trim(),
      prompt,
      ...(machine !== '' && { machine }),
      ...(hasWorktree && { worktree: true }),
    };
    if (template.name === '') return;
    void change(transport.saveTemplate(template), t('template.saved'), template);
  };

  const isEmpty = templates.length === 0 && prompt.trim() === '' && name === null && error === null;
  if (isEmpty) return null;
  return (
    <div className="flex flex-col gap-2">
      <div className="flex min-w-0 flex-wrap items-center gap-2">
        {templates.length > 0 && (
          <Select
            aria-label={t('template.choose')}
            value={isKnown ? chosen : ''}
            onChange={({ target }) =>
              onChoose(templates.find((template) => template.name === target.value) ?? null)
            }
            className="w-auto min-w-0 max-w-full flex-1"
          >
            <option value="">{t('template.none')}</option>
            {templates.map((template) => (
              <option key={template.name} value={template.name}>
                {template.machine === undefined ? template.name : `${template.name} · ${template.machine}`}
              </option>
            ))}
          </Select>
        )}
        {prompt.trim() !== '' && name === null && (
          <Button icon={BookmarkPlus} variant="ghost" onClick={() => setName(isKnown ? chosen : '')}>
            {t('template.save')}
          </Button>
        )}
        {isKnown && name === null && (
          <ConfirmButton
            icon={Trash2}
            variant="ghost"
            confirm={t('template.removeConfirm', { name: chosen })}
            onConfirm={() => void change(transport.removeTemplate(chosen), t('template.removed'), null)}
          >
            {t('template.remove')}
          </ConfirmButton>
        )}
      </div>
      {name !== null && (
        <Field
          label={t('template.name')}
          hint={t('template.hint', { open: '{{', close: '}}' })}
          error={error ?? undefined}
        >
          {(ids) => (
            <div className="flex min-w-0 items-center gap-2">
              <Input
                {...ids}
                // It was asked for by a press, to be filled in.
                autoFocus
                value={name}
                maxLength={100}
                autoComplete="off"
                onChange={({ target }) => setName(target.value)}
                onKeyDown={(event) => {
                  if (!isKey('field.send', event) || event.nativeEvent.isComposing) return;
                  // Enter keeps the template; it does not start the session.
                  event.preventDefault();
                  event.stopPropagation();
                  save(name);
                }}
              />
              <Button disabled={name.trim() === ''} onClick={() => save(name)}>
                {t('template.keep')}
              </Button>
              <Button variant="ghost" onClick={() => setName(null)}>
                {t('ui.cancel')}
              </Button>
            </div>
          )}
        </Field>
      )}
      {error !== null && name === null && <ErrorNote isSmall>{error}</ErrorNote>}
    </div>
  );
}

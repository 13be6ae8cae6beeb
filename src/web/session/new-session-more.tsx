import { ChevronRight, Plus, X } from 'lucide-react';
import { useState } from 'react';
import { randomId } from '../data/random-id.ts';
import { useT } from '../i18n/i18n.ts';
import { Button } from '../ui/button.tsx';
import { Field, Input, Textarea } from '../ui/field.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { Switch } from '../ui/switch.tsx';
import type { NewSession, Variable } from './new-session.logic.ts';

export const moreFields = ['title', 'description', 'labels', 'key', 'env', 'ephemeral'];

/** What most sessions are started without. */
export function MoreChoices({
  form,
  hasPrompt,
  set,
  errorOf,
}: {
  readonly form: NewSession;
  readonly hasPrompt: boolean;
  readonly set: (changes: Partial<NewSession>) => void;
  readonly errorOf: (field: string) => string | undefined;
}) {
  const t = useT();
  const [isOpen, setOpen] = useState(false);
  const isWrong = moreFields.some((field) => errorOf(field) !== undefined);
  return (
    <details
      open={isOpen || isWrong}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className="group rounded-ui border border-line"
    >
      <summary className="flex cursor-pointer list-none items-center gap-1.5 rounded-ui px-3 py-2 font-medium text-sm pointer-coarse:min-h-11">
        <ChevronRight aria-hidden className="size-3.5 transition-transform group-open:rotate-90" />
        {t('new.more')}
      </summary>
      <div className="flex flex-col gap-4 px-3 pt-1 pb-3">
        <Field label={t('new.sessionTitle')} error={errorOf('title')}>
          {(ids) => (
            <Input
              {...ids}
              value={form.title}
              maxLength={500}
              placeholder={t('new.sessionTitleHint')}
              onChange={(event) => set({ title: event.target.value })}
            />
          )}
        </Field>
        <Field
          label={t('new.description')}
          hint={t(hasPrompt ? 'new.descriptionUnsent' : 'new.descriptionHint')}
          error={errorOf('description')}
        >
          {(ids) => (
            <Textarea
              {...ids}
              value={form.description}
              onChange={(event) => set({ description: event.target.value })}
              className="max-h-40"
            />
          )}
        </Field>
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label={t('new.labels')} hint={t('new.labelsHint')} error={errorOf('labels')}>
            {(ids) => (
              <Input
                {...ids}
                value={form.labels}
                autoComplete="off"
                onChange={(event) => set({ labels: event.target.value })}
              />
            )}
          </Field>
          <Field label={t('new.key')} hint={t('new.keyHint')} error={errorOf('key')}>
            {(ids) => (
              <Input
                {...ids}
                value={form.key}
                maxLength={200}
                autoComplete="off"
                onChange={(event) => set({ key: event.target.value })}
              />
            )}
          </Field>
        </div>
        <Variables
          variables={form.variables}
          error={errorOf('env')}
          onChange={(variables) => set({ variables })}
        />
        <Switch
          label={t('new.ephemeral')}
          hint={t('new.ephemeralHint')}
          isOn={form.isEphemeral}
          onChange={(isEphemeral) => set({ isEphemeral })}
        />
      </div>
    </details>
  );
}

/** Names and values for the agent. They are never kept in the browser: the values may be secrets. */
function Variables({
  variables,
  error,
  onChange,
}: {
  readonly variables: readonly Variable[];
  readonly error: string | undefined;
  readonly onChange: (variables: readonly Variable[]) => void;
}) {
  const t = useT();
  const change = (id: string, changes: Partial<Variable>): void =>
    onChange(variables.map((each) => (each.id === id ? { ...each, ...changes } : each)));
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1 font-medium text-sm">{t('new.env')}</legend>
      {variables.map(({ id, name, value }, index) => (
        <div key={id} className="flex min-w-0 items-center gap-1.5">
          <Input
            aria-label={t('new.envName')}
            autoFocus={index === variables.length - 1 && name === ''}
            value={name}
            spellCheck={false}
            autoComplete="off"
            autoCapitalize="off"
            placeholder="NAME"
            onChange={(event) => change(id, { name: event.target.value })}
            className="min-w-0 flex-1 font-mono"
          />
          <Input
            aria-label={t('new.envValue', { name: name.trim() || t('new.envUnnamed') })}
            type="password"
            value={value}
            autoComplete="new-password"
            onChange={(event) => change(id, { value: event.target.value })}
            className="min-w-0 flex-1 font-mono"
          />
          <IconButton
            icon={X}
            label={t('new.envRemove', { name: name.trim() || t('new.envUnnamed') })}
            onClick={() => onChange(variables.filter((each) => each.id !== id))}
          />
        </div>
      ))}
      <p className={error === undefined ? 'text-faint text-xs' : 'text-fail-ink text-xs'}>
        {error ?? t('new.envHint')}
      </p>
      <span>
        <Button icon={Plus} onClick={() => onChange([...variables, { id: randomId(), name: '', value: '' }])}>
          {t('new.envAdd')}
        </Button>
      </span>
    </fieldset>
  );
}

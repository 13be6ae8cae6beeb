import { ChevronRight, Plus, X } from 'lucide-react';
import { useState } from 'react';
import type { Agent } from '../../protocol/session.ts';
import { randomId } from '../data/random-id.ts';
import { useT } from '../i18n/i18n.ts';
import { Button } from '../ui/button.tsx';
import { Field, Input, Select, Textarea } from '../ui/field.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { Switch } from '../ui/switch.tsx';
import { modeLabel } from './mode-label.ts';
import { modesOf, type NewSession, type Variable } from './new-session.logic.ts';

interface FieldsProps {
  readonly form: NewSession;
  readonly set: (changes: Partial<NewSession>) => void;
  readonly errorOf: (field: string) => string | undefined;
}

export const agentFields = ['permissionMode', 'model'];

const thinkingTokens = ['0', '4000', '10000', '31999'] as const;

/** How the agent works; what is not chosen is left to the server, or to the agent itself. */
export function AgentSettings({
  agent,
  form,
  set,
  errorOf,
}: FieldsProps & { readonly agent: Agent | undefined }) {
  const t = useT();
  const own = t('new.agentsChoice');
  const models = agent?.capabilities.models;
  const serverMode =
    agent?.defaultPermissionMode && modeLabel(t, agent.defaultPermissionMode, agent.capabilities);
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <ChoiceField
        label={t('new.mode')}
        hint={serverMode && t('new.serverModeHint', { agent: agent.label, mode: serverMode })}
        error={errorOf('permissionMode')}
        value={form.permissionMode}
        unset={serverMode ? t('new.serverMode', { mode: serverMode }) : own}
        options={modesOf(agent).map((value) => ({ value, label: modeLabel(t, value, agent?.capabilities) }))}
        onChange={(permissionMode) => set({ permissionMode })}
      />
      {models === undefined ? (
        <Field label={t('new.model')} error={errorOf('model')}>
          {(ids) => (
            <Input
              {...ids}
              value={form.model}
              spellCheck={false}
              placeholder={own}
              onChange={(event) => set({ model: event.target.value })}
            />
          )}
        </Field>
      ) : (
        <ChoiceField
          label={t('new.model')}
          error={errorOf('model')}
          value={form.model}
          unset={own}
          options={models}
          onChange={(model) => set({ model })}
        />
      )}
      {agent?.thinkingVariable !== undefined && (
        <ChoiceField
          label={t('new.thinking')}
          value={form.thinking}
          unset={own}
          options={thinkingTokens.map((value) => ({ value, label: t(`new.thinking.${value}`) }))}
          onChange={(thinking) => set({ thinking })}
        />
      )}
    </div>
  );
}

/** One of a few, or none: then it is as `unset` says. */
function ChoiceField({
  label,
  hint,
  error,
  value,
  unset,
  options,
  onChange,
}: {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  readonly value: string;
  readonly unset: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly onChange: (value: string) => void;
}) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(ids) => (
        <Select {...ids} value={value} onChange={(event) => onChange(event.target.value)}>
          <option value="">{unset}</option>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

export const moreFields = ['title', 'description', 'labels', 'key', 'env', 'ephemeral'];

/** What most sessions are started without. */
export function MoreChoices({
  form,
  hasPrompt,
  set,
  errorOf,
}: FieldsProps & { readonly hasPrompt: boolean }) {
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

import { useState } from 'react';
import { setPreferences, usePreferences } from '../../data/preferences.ts';
import { editors, isEditorName, templateProblem } from '../../editor/editor.logic.ts';
import { useEditorCommands } from '../../editor/use-editor-commands.ts';
import { useT } from '../../i18n/i18n.ts';
import { Field, Input, Select } from '../../ui/field.tsx';

/** Which editor files are opened in: one that is known by its name, an address of one's own, or none. */
export function EditorChoice() {
  const t = useT();
  const editor = usePreferences((preferences) => preferences.editor);
  const [isOwn, setOwn] = useState(editor !== undefined && !isEditorName(editor));
  const [typed, setTyped] = useState(editor !== undefined && !isEditorName(editor) ? editor : '');
  const { command } = useEditorCommands(undefined);
  const problem = typed === '' ? undefined : templateProblem(typed);
  return (
    <>
      <Field label={t('editor.editor')} hint={t('editor.where')}>
        {(ids) => (
          <Select
            {...ids}
            value={isOwn ? 'own' : (editor ?? 'none')}
            onChange={({ target: { value } }) => {
              setOwn(value === 'own');
              setPreferences({ editor: isEditorName(value) ? value : undefined });
            }}
          >
            <option value="none">{t('editor.none')}</option>
            {Object.entries(editors).map(([key, { name }]) => (
              <option key={key} value={key}>
                {name}
              </option>
            ))}
            <option value="own">{t('editor.own')}</option>
          </Select>
        )}
      </Field>
      {isOwn && (
        <Field
          label={t('editor.address')}
          hint={t('editor.addressHint')}
          {...(problem !== undefined && { error: t(`editor.problem.${problem}`) })}
        >
          {(ids) => (
            <Input
              {...ids}
              value={typed}
              spellCheck={false}
              placeholder="vscode://vscode-remote/ssh-remote+{machine}{path}:{line}"
              onChange={({ target: { value } }) => {
                setTyped(value);
                setPreferences({ editor: templateProblem(value) === undefined ? value : undefined });
              }}
            />
          )}
        </Field>
      )}
      <p className="wrap-anywhere text-faint text-xs sm:col-span-2">
        {command === null ? t('editor.noCommand') : t('editor.command', { command: command.join(' ') })}
      </p>
    </>
  );
}

import { languages, setPreferences, themes, usePreferences } from '../../data/preferences.ts';
import { chooseLanguage, useT } from '../../i18n/i18n.ts';
import { Card } from '../../ui/card.tsx';
import { Field, Select } from '../../ui/field.tsx';
import { EditorChoice } from './editor.tsx';

const names = { en: 'English', de: 'Deutsch' } as const;

export function Look() {
  const t = useT();
  const theme = usePreferences((preferences) => preferences.theme);
  return (
    <Card className="grid gap-4 p-4 sm:grid-cols-2">
      <Field label={t('settings.theme')}>
        {(ids) => (
          <Select
            {...ids}
            value={theme}
            onChange={({ target }) =>
              setPreferences({ theme: themes.find((each) => each === target.value) ?? 'system' })
            }
          >
            {themes.map((each) => (
              <option key={each} value={each}>
                {t(`settings.theme.${each}`)}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label={t('settings.language')}>
        {(ids) => (
          <Select
            {...ids}
            value={t.language}
            onChange={({ target }) =>
              void chooseLanguage(languages.find((each) => each === target.value) ?? 'en')
            }
          >
            {languages.map((language) => (
              <option key={language} value={language} lang={language}>
                {names[language]}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <EditorChoice />
    </Card>
  );
}

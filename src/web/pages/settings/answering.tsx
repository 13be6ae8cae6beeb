import { useT } from '../../i18n/i18n.ts';
import { useAnswering } from '../../interaction/card-notes.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { Switch } from '../../ui/switch.tsx';

/** Whether this page can be asked. */
export function Answering() {
  const t = useT();
  const { isEnabled, isChanging, error, change } = useAnswering();
  return (
    <Card className="flex flex-col gap-2 p-4">
      <Switch
        label={t('settings.interaction')}
        hint={t('settings.interactionHint')}
        isOn={isEnabled}
        isDisabled={isChanging}
        onChange={(enabled) => void change(enabled)}
      />
      {error !== null && <ErrorNote>{error}</ErrorNote>}
    </Card>
  );
}

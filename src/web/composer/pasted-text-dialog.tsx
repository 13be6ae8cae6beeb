import { useState } from 'react';
import { lineCount } from '../../model/pasted-text.ts';
import { useT } from '../i18n/i18n.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Textarea } from '../ui/field.tsx';
import { isKey } from '../ui/keys.ts';

/** All of a text that was pasted, to be read and changed. Closed in whatever way, it keeps what was changed. */
export function PastedTextDialog({
  text,
  onClose,
  onChange,
  onIntoField,
}: {
  readonly text: string;
  readonly onClose: () => void;
  readonly onChange: (text: string) => void;
  readonly onIntoField: (text: string) => void;
}) {
  const t = useT();
  const [changed, setChanged] = useState(text);
  const title = t('pasted.lines', { count: lineCount(changed) });
  const close = (): void => {
    if (changed !== text) onChange(changed.trimEnd());
    onClose();
  };
  return (
    <Dialog
      title={title}
      size="xl"
      onClose={close}
      footer={
        <>
          <Button variant="ghost" onClick={() => onIntoField(changed)}>
            {t('pasted.intoField')}
          </Button>
          <Button variant="primary" onClick={close}>
            {t('pasted.done')}
          </Button>
        </>
      }
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys of the page behind must not hear what is typed here */}
      <div
        className="px-4 pb-4"
        onKeyDown={(event) => !isKey('field.leave', event) && event.stopPropagation()}
      >
        <Textarea
          aria-label={title}
          value={changed}
          wrap="off"
          spellCheck={false}
          onChange={(event) => setChanged(event.target.value)}
          className="field-sizing-fixed h-[55vh] overflow-auto font-mono text-xs leading-4.5"
        />
      </div>
    </Dialog>
  );
}

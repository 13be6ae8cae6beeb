import { type MessageKey, useT } from '../i18n/i18n.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Kbd } from '../ui/kbd.tsx';
import { type KeyScope, keyRows } from '../ui/keys.ts';

const scopes: Readonly<Record<KeyScope, MessageKey>> = {
  everywhere: 'help.everywhere',
  inbox: 'frame.inbox',
  control: 'frame.control',
  board: 'frame.board',
  session: 'help.session',
  changes: 'help.changes',
  lines: 'help.lines',
  composer: 'help.composer',
  queue: 'help.queue',
  list: 'help.lists',
  field: 'help.fields',
};

/** What can be pressed where. */
export function Help({ onClose }: { readonly onClose: () => void }) {
  const t = useT();
  return (
    <Dialog title={t('help.title')} onClose={onClose} size="lg">
      <div className="gap-x-10 p-4 sm:columns-2">
        {(Object.keys(scopes) as KeyScope[]).map((scope) => (
          <section key={scope} className="flex break-inside-avoid flex-col gap-1.5 pb-6">
            <h3 className="font-medium text-faint text-xs">{t(scopes[scope])}</h3>
            <dl className="flex flex-col gap-1.5">
              {keyRows(scope).map(({ does, names }) => (
                <div key={does} className="flex items-center justify-between gap-4">
                  <dt>{t(does)}</dt>
                  <dd className="flex gap-1">
                    {names.map((name) => (
                      <Kbd key={name} shortcut={name} />
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

import { type MessageKey, useT } from '../i18n/i18n.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Kbd } from '../ui/kbd.tsx';

const everywhere: readonly (readonly [string, MessageKey])[] = [
  ['Mod+K', 'help.palette'],
  ['g c', 'help.control'],
  ['g b', 'help.board'],
  ['g i', 'help.inbox'],
  ['n', 'help.new'],
  ['[', 'help.list'],
  ['?', 'help.help'],
];

const control: readonly (readonly [string, MessageKey])[] = [
  ['← → ↑ ↓', 'help.move'],
  ['Enter', 'help.open'],
  ['m', 'help.message'],
];

const inbox: readonly (readonly [string, MessageKey])[] = [
  ['j k', 'help.inboxMove'],
  ['a', 'ask.allow'],
  ['s', 'ask.allowSession'],
  ['d', 'help.inboxDeny'],
  ['e', 'help.inboxEdit'],
  ['x', 'help.inboxSelect'],
  ['Shift+A', 'help.inboxBatch'],
  ['Enter', 'help.open'],
];

const session: readonly (readonly [string, MessageKey])[] = [
  ['End', 'help.latest'],
  ['t', 'help.tools'],
  ['Alt+↑ Alt+↓', 'help.ownMessages'],
];

const composer: readonly (readonly [string, MessageKey])[] = [
  ['Enter', 'help.send'],
  ['Shift+Enter', 'help.break'],
  ['Mod+Enter', 'help.interrupt'],
  ['↑', 'help.editLast'],
];

/** What can be pressed where. */
export function Help({ onClose }: { readonly onClose: () => void }) {
  const t = useT();
  return (
    <Dialog title={t('help.title')} onClose={onClose} size="lg">
      <div className="grid gap-x-10 gap-y-6 p-4 sm:grid-cols-2">
        <div className="flex flex-col gap-6">
          <Keys title={t('help.everywhere')} keys={everywhere} />
          <Keys title={t('frame.inbox')} keys={inbox} />
        </div>
        <div className="flex flex-col gap-6">
          <Keys title={t('frame.control')} keys={control} />
          <Keys title={t('help.session')} keys={session} />
          <Keys title={t('help.composer')} keys={composer} />
        </div>
      </div>
    </Dialog>
  );
}

function Keys({
  title,
  keys,
}: {
  readonly title: string;
  readonly keys: readonly (readonly [string, MessageKey])[];
}) {
  const t = useT();
  return (
    <section className="flex flex-col gap-1.5">
      <h3 className="font-medium text-faint text-xs">{title}</h3>
      <dl className="flex flex-col gap-1.5">
        {keys.map(([key, meaning]) => (
          <div key={key} className="flex items-center justify-between gap-4">
            <dt>{t(meaning)}</dt>
            <dd>
              <Kbd keys={key} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

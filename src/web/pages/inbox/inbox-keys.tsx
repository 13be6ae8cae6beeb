import type { MessageKey } from '../../i18n/i18n.ts';
import { useT } from '../../i18n/i18n.ts';
import { Kbd } from '../../ui/kbd.tsx';

const keys: readonly (readonly [string, MessageKey])[] = [
  ['j k', 'inbox.key.move'],
  ['a', 'ask.allow'],
  ['s', 'inbox.key.session'],
  ['d', 'ask.deny'],
  ['e', 'ask.edit.open'],
  ['x', 'inbox.key.select'],
  ['Shift+A', 'inbox.key.batch'],
  ['Enter', 'inbox.key.open'],
  ['?', 'inbox.key.help'],
];

/** What can be pressed, where there is something to press it with. */
export function InboxKeys() {
  const t = useT();
  return (
    <dl
      aria-label={t('help.title')}
      className="flex flex-wrap gap-x-3 gap-y-1 border-line border-t px-3 py-2 text-2xs text-faint max-md:hidden pointer-coarse:hidden"
    >
      {keys.map(([key, meaning]) => (
        <div key={key} className="flex items-center gap-1">
          <dt>
            <Kbd keys={key} />
          </dt>
          <dd>{t(meaning)}</dd>
        </div>
      ))}
    </dl>
  );
}

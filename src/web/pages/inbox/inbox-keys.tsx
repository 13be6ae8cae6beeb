import { useT } from '../../i18n/i18n.ts';
import { Kbd } from '../../ui/kbd.tsx';
import { keyRows } from '../../ui/keys.ts';

const shown = [
  ...keyRows('inbox'),
  ...keyRows('everywhere').filter(({ names }) => names.includes('everywhere.help')),
];

/** What can be pressed, where there is something to press it with. */
export function InboxKeys() {
  const t = useT();
  return (
    <dl
      aria-label={t('help.title')}
      className="flex flex-wrap gap-x-3 gap-y-1 border-line border-t px-3 py-2 text-2xs text-faint max-md:hidden pointer-coarse:hidden"
    >
      {shown.map(({ short, names }) => (
        <div key={short} className="flex items-center gap-1">
          <dt className="flex gap-1">
            {names.map((name) => (
              <Kbd key={name} shortcut={name} />
            ))}
          </dt>
          <dd>{t(short)}</dd>
        </div>
      ))}
    </dl>
  );
}

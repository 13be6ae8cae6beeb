import { cx } from './class-names.ts';

const isMac = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? '');

/** Keys to press: `Mod+K` is ⌘K on a Mac and Ctrl+K elsewhere, `g c` is one after the other. */
export function Kbd({ keys, isInverse = false }: { readonly keys: string; readonly isInverse?: boolean }) {
  return (
    <span className="inline-flex gap-1 whitespace-nowrap font-sans text-2xs">
      {keys.split(' ').map((key, at) => (
        <kbd
          // biome-ignore lint/suspicious/noArrayIndexKey: the order of keys is what they are
          key={at}
          className={cx(
            'inline-flex min-w-4.5 justify-center rounded-tight border px-1 font-sans',
            isInverse ? 'border-faint' : 'border-line-strong bg-surface text-soft',
          )}
        >
          {isMac ? key.replace('Mod+', '⌘').replace('Shift+', '⇧') : key.replace('Mod', 'Ctrl')}
        </kbd>
      ))}
    </span>
  );
}

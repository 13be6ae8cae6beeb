import { cx } from './class-names.ts';
import { type KeyName, shownKeys } from './keys.ts';

/** The keys to press for something. */
export function Kbd({
  shortcut,
  isInverse = false,
}: {
  readonly shortcut: KeyName;
  readonly isInverse?: boolean;
}) {
  return (
    <span className="inline-flex gap-1 whitespace-nowrap font-sans text-2xs">
      {shownKeys(shortcut).map((key, at) => (
        <kbd
          // biome-ignore lint/suspicious/noArrayIndexKey: the order of keys is what they are
          key={at}
          className={cx(
            'inline-flex min-w-4.5 justify-center rounded-tight border px-1 font-sans',
            isInverse ? 'border-faint' : 'border-line-strong bg-surface text-soft',
          )}
        >
          {key}
        </kbd>
      ))}
    </span>
  );
}

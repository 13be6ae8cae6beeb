import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from '../ui/class-names.ts';
import { useConversationPlace } from './conversation-context.ts';

/** A line that opens to the whole. */
export function Disclosure({
  name,
  isOpen,
  children,
}: {
  /** The entry that it opens. */
  readonly name: string;
  readonly isOpen: boolean;
  readonly children: ReactNode;
}) {
  const { toggle } = useConversationPlace();
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      onClick={() => toggle(name, !isOpen)}
      className="group/line -mx-2 flex min-h-7 w-[calc(100%+1rem)] items-center gap-1.5 rounded-ui px-2 text-left text-faint text-sm transition-colors duration-150 hover:bg-hover hover:text-soft pointer-coarse:min-h-11"
    >
      {children}
      <ChevronRight
        aria-hidden
        className={cx(
          'ml-auto size-3.5 shrink-0 transition-transform duration-150',
          isOpen
            ? 'rotate-90'
            : 'opacity-0 group-hover/line:opacity-100 group-focus-visible/line:opacity-100 pointer-coarse:opacity-100',
        )}
      />
    </button>
  );
}

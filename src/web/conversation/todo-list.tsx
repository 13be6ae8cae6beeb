import { Circle, CircleCheck, CircleDot, type LucideIcon } from 'lucide-react';
import type { Todo } from '../../model/tool-call.ts';
import { useT } from '../i18n/i18n.ts';
import { plainText } from '../text/plain-text.ts';
import { cx } from '../ui/class-names.ts';

const icons: Readonly<Record<Todo['state'], LucideIcon>> = {
  open: Circle,
  active: CircleDot,
  done: CircleCheck,
};

const tones: Readonly<Record<Todo['state'], string>> = {
  open: 'text-faint',
  active: 'text-work',
  done: 'text-done',
};

/** An agent's list of steps. */
export function TodoList({
  todos,
  className,
}: {
  readonly todos: readonly Todo[];
  readonly className?: string;
}) {
  const t = useT();
  return (
    <ul className={cx('flex flex-col gap-1 text-sm', className)}>
      {todos.map(({ text, state }, at) => {
        const Icon = icons[state];
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps have no other name than their place
          <li key={at} className="flex gap-2">
            <Icon aria-hidden className={cx('mt-0.75 size-3.5 shrink-0', tones[state])} />
            <span
              className={cx(
                'min-w-0 wrap-anywhere',
                state === 'done' ? 'text-faint' : 'text-ink',
                state === 'active' && 'font-medium',
              )}
            >
              {plainText(text)}
              <span className="sr-only">, {t(`todo.${state}`)}</span>
            </span>
          </li>
        );
      })}
    </ul>
  );
}

import { useT } from '../i18n/i18n.ts';
import { oneLine } from '../text/plain-text.ts';
import { cx } from '../ui/class-names.ts';
import { type CommandListModel, optionId } from './use-command-list.ts';

/** The agent's commands that may be meant, above the field in which one is being typed. */
export function CommandList({
  list,
  isSmall = false,
}: {
  readonly list: CommandListModel;
  /** In a monitor, which is hardly higher than the list. */
  readonly isSmall?: boolean;
}) {
  const t = useT();
  if (!list.isOpen) return null;
  return (
    <div
      id={list.id}
      role="listbox"
      aria-label={t('composer.commands')}
      className={cx(
        'absolute -inset-x-px bottom-full z-30 mb-1 animate-appear overflow-y-auto overscroll-contain rounded-ui border border-line bg-raised p-1 shadow-float',
        isSmall ? 'max-h-36' : 'max-h-[min(18rem,40dvh)]',
      )}
    >
      {list.commands.map((command, index) => {
        const isChosen = index === list.at;
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are read where one types
          <div
            key={command.name}
            id={optionId(list.id, index)}
            role="option"
            tabIndex={-1}
            aria-selected={isChosen}
            ref={isChosen ? (element) => element?.scrollIntoView({ block: 'nearest' }) : undefined}
            // The field keeps the focus, or the list would be gone before the press ends.
            onMouseDown={(event) => event.preventDefault()}
            onPointerMove={() => list.setAt(index)}
            onClick={() => list.pick(command)}
            className={cx(
              'flex cursor-pointer flex-col justify-center rounded-tight px-2.5 py-1.5 pointer-coarse:min-h-11',
              isChosen && 'bg-sunken',
            )}
          >
            <span className="flex min-w-0 items-baseline gap-2 font-mono text-sm">
              <span className="min-w-0 font-semibold wrap-anywhere">/{command.name}</span>
              {command.hint !== undefined && (
                <span className="min-w-0 flex-1 truncate text-faint text-xs">{oneLine(command.hint)}</span>
              )}
            </span>
            {command.description !== '' && (
              <span className="line-clamp-2 text-soft text-xs wrap-anywhere">
                {oneLine(command.description)}
              </span>
            )}
          </div>
        );
      })}
    </div>
  );
}

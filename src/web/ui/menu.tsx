import { Check, type LucideIcon } from 'lucide-react';
import { DropdownMenu as Radix } from 'radix-ui';
import type { ReactElement } from 'react';
import { cx } from './class-names.ts';
import { Kbd } from './kbd.tsx';
import { useOverlayContainer } from './overlay-container.tsx';

export interface MenuItem {
  readonly key: string;
  readonly label: string;
  /** A sentence on what it does. */
  readonly hint?: string;
  readonly keys?: string;
  readonly icon?: LucideIcon;
  readonly isDanger?: boolean;
  readonly isDisabled?: boolean;
  /** One of several, of which one holds: the one that does has a tick. */
  readonly isChecked?: boolean;
  readonly onSelect: () => void;
}

/** A menu behind a button. An inner list is a group, set apart by a line. */
export function Menu({
  trigger,
  groups,
  align = 'end',
  isOpenAtFirst = false,
}: {
  readonly trigger: ReactElement;
  readonly groups: readonly (readonly MenuItem[])[];
  readonly align?: 'start' | 'end';
  readonly isOpenAtFirst?: boolean;
}) {
  const container = useOverlayContainer();
  const shown = groups.filter((group) => group.length > 0);
  return (
    // Modal menus lock scrolling by a style element, which the content security policy forbids.
    <Radix.Root modal={false} defaultOpen={isOpenAtFirst}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal container={container}>
        <Radix.Content
          align={align}
          sideOffset={4}
          collisionPadding={8}
          // What was chosen may have opened a field, which keeps the focus.
          onCloseAutoFocus={(event) => {
            if (document.activeElement instanceof HTMLInputElement) event.preventDefault();
          }}
          className="z-40 min-w-44 animate-appear rounded-ui border border-line bg-raised p-1 shadow-float"
        >
          {shown.map((group, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: groups have no other name than their place
            <Radix.Group key={at}>
              {at > 0 && <Radix.Separator className="-mx-1 my-1 h-px bg-line" />}
              {group.map(
                ({ key, label, hint, keys, icon: Icon, isDanger, isDisabled, isChecked, onSelect }) => (
                  <Radix.Item
                    key={key}
                    disabled={isDisabled ?? false}
                    onSelect={onSelect}
                    {...(isChecked === undefined ? {} : { role: 'menuitemradio', 'aria-checked': isChecked })}
                    className={cx(
                      'flex min-h-8 cursor-pointer select-none items-center gap-2 rounded-tight px-2 outline-none data-disabled:cursor-not-allowed data-disabled:opacity-50 data-highlighted:bg-hover pointer-coarse:min-h-11',
                      isDanger === true && 'text-fail-ink',
                    )}
                  >
                    {isChecked !== undefined && (
                      <Check aria-hidden className={cx('size-4 shrink-0', !isChecked && 'invisible')} />
                    )}
                    {Icon !== undefined && <Icon aria-hidden className="size-4 shrink-0 opacity-70" />}
                    {hint === undefined ? (
                      label
                    ) : (
                      <span className="flex min-w-0 max-w-72 flex-1 flex-col py-1">
                        {label}
                        <span className="text-faint text-xs">{hint}</span>
                      </span>
                    )}
                    {keys !== undefined && (
                      <span className="ml-auto pl-3">
                        <Kbd keys={keys} />
                      </span>
                    )}
                  </Radix.Item>
                ),
              )}
            </Radix.Group>
          ))}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

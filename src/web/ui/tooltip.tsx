import { Tooltip as Radix } from 'radix-ui';
import type { ReactElement, ReactNode } from 'react';
import { Kbd } from './kbd.tsx';
import { useOverlayContainer } from './overlay-container.tsx';

export const TooltipProvider = ({ children }: { readonly children: ReactNode }) => (
  <Radix.Provider delayDuration={450} skipDelayDuration={200}>
    {children}
  </Radix.Provider>
);

export interface TooltipProps {
  readonly text: ReactNode;
  readonly keys?: string;
  readonly side?: 'top' | 'right' | 'bottom' | 'left';
  readonly children: ReactElement;
}

/** A few words on hover or focus. Nothing may be found only here. */
export function Tooltip({ text, keys, side = 'top', children }: TooltipProps) {
  const container = useOverlayContainer();
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal container={container}>
        <Radix.Content
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className="z-50 flex max-w-80 items-center gap-2 rounded-ui bg-ink px-2 py-1 text-xs text-inverse shadow-float"
        >
          {text}
          {keys !== undefined && <Kbd keys={keys} isInverse />}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

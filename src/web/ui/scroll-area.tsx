import { type ComponentProps, useEffect, useRef, useState } from 'react';
import { cx } from './class-names.ts';

/**
 * A box whose content may be longer than it is. Only then can it have the focus, to be scrolled with the keys;
 * `data-more` tells that there is more below what is seen.
 */
export function ScrollArea({ className, children, ...rest }: ComponentProps<'div'>) {
  const ref = useRef<HTMLDivElement>(null);
  const [isLonger, setLonger] = useState(false);
  const [hasMore, setMore] = useState(false);
  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const measure = (): void => {
      setLonger(
        element.scrollHeight > element.clientHeight + 1 || element.scrollWidth > element.clientWidth + 1,
      );
      setMore(element.scrollHeight - element.scrollTop > element.clientHeight + 4);
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    for (const child of element.children) observer.observe(child);
    element.addEventListener('scroll', measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', measure);
    };
  }, []);
  return (
    <div
      ref={ref}
      tabIndex={isLonger ? 0 : undefined}
      data-more={hasMore || undefined}
      className={cx('overflow-auto', className)}
      {...rest}
    >
      {children}
    </div>
  );
}

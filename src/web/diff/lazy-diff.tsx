import { type ComponentProps, Suspense } from 'react';
import { NotShown } from '../interaction/reading.tsx';
import { lazyPart, NotLoaded } from '../ui/lazy-part.tsx';
import { Skeleton } from '../ui/skeleton.tsx';

const missing = () => (
  <>
    <NotLoaded />
    <NotShown />
  </>
);

const shape = (
  <>
    <Skeleton className="h-20" />
    <NotShown />
  </>
);

const DiffView = lazyPart(async () => (await import('./diff-view.tsx')).DiffView, missing);
const ChangeView = lazyPart(async () => (await import('./asked-change.tsx')).AskedChange, missing);

/** The change between two texts; a shape of it until the view is loaded. */
export const Diff = (props: ComponentProps<typeof DiffView>) => (
  <Suspense fallback={shape}>
    <DiffView {...props} />
  </Suspense>
);

/** What an ask would change, in its files. */
export const AskedChange = (props: ComponentProps<typeof ChangeView>) => (
  <Suspense fallback={shape}>
    <ChangeView {...props} />
  </Suspense>
);

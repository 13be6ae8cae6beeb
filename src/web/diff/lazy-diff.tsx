import { type ComponentProps, Suspense } from 'react';
import { NotShown } from '../interaction/reading.tsx';
import { lazyPart, NotLoaded } from '../ui/lazy-part.tsx';
import { Skeleton } from '../ui/skeleton.tsx';

const DiffView = lazyPart(
  async () => (await import('./diff-view.tsx')).DiffView,
  () => (
    <>
      <NotLoaded />
      <NotShown />
    </>
  ),
);

/** The change between two texts; a shape of it until the view is loaded. */
export const Diff = (props: ComponentProps<typeof DiffView>) => (
  <Suspense
    fallback={
      <>
        <Skeleton className="h-20" />
        <NotShown />
      </>
    }
  >
    <DiffView {...props} />
  </Suspense>
);

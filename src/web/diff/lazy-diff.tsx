import { type ComponentProps, lazy, Suspense } from 'react';
import { NotShown } from '../interaction/reading.tsx';
import { Skeleton } from '../ui/skeleton.tsx';

const DiffView = lazy(async () => ({ default: (await import('./diff-view.tsx')).DiffView }));

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

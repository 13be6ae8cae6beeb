import { Suspense, useCallback } from 'react';
import { Route, Switch } from 'wouter';
import { basePath } from './data/base-path.ts';
import { useControlRoom, useRoom } from './data/room-context.tsx';
import { Shell } from './frame/shell.tsx';
import { ControlPage } from './pages/control/control-page.tsx';
import { routes, sessionIn, sessionPattern } from './routes.ts';
import { lazyPart } from './ui/lazy-part.tsx';
import { TooltipProvider } from './ui/tooltip.tsx';

const BoardPage = lazyPart(async () => (await import('./pages/board-page.tsx')).BoardPage);
const InboxPage = lazyPart(async () => (await import('./pages/inbox/inbox-page.tsx')).InboxPage);
const SessionPage = lazyPart(async () => (await import('./pages/session/session-page.tsx')).SessionPage);
const SessionsPage = lazyPart(async () => (await import('./pages/sessions-page.tsx')).SessionsPage);
const InsightsPage = lazyPart(async () => (await import('./pages/insights/insights-page.tsx')).InsightsPage);
const SettingsPage = lazyPart(async () => (await import('./pages/settings-page.tsx')).SettingsPage);
const NoSuchPage = lazyPart(async () => (await import('./pages/no-such-page.tsx')).NoSuchPage);
const SignIn = lazyPart(async () => (await import('./frame/sign-in.tsx')).SignIn);

/** `pairingFailure`: why the code that came with the address did not let this browser in. */
export function App({ pairingFailure = null }: { readonly pairingFailure?: unknown }) {
  const room = useControlRoom();
  const isSignedOut = useRoom((state) => state.connection.state === 'signed-out');
  const enter = useCallback(() => room.start(), [room]);
  if (isSignedOut)
    return (
      <Suspense>
        <SignIn onPaired={enter} failure={pairingFailure} />
      </Suspense>
    );
  return (
    <TooltipProvider>
      <Shell>
        <Switch>
          <Route path={routes.control} component={ControlPage} />
          <Route path={routes.board} component={BoardPage} />
          <Route path={routes.inbox} component={InboxPage} />
          <Route path={routes.sessions} component={SessionsPage} />
          <Route path={routes.insights} component={InsightsPage} />
          <Route path={routes.settings} component={SettingsPage} />
          <Route path={sessionPattern}>
            {({ id }) => (
              <SessionPage key={id} sessionId={sessionIn(window.location.pathname.slice(basePath.length))} />
            )}
          </Route>
          <Route component={NoSuchPage} />
        </Switch>
      </Shell>
    </TooltipProvider>
  );
}

import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { WebSocketTransport } from '../client/web-socket-transport.ts';
import { App } from './app.tsx';
import { browserId, pageKey, pair, takePairingCode } from './data/access.ts';
import { basePath, pageUrl } from './data/base-path.ts';
import { ControlRoom } from './data/control-room.ts';
import { usePreferences } from './data/preferences.ts';
import { RoomProvider } from './data/room-context.tsx';
import { ignoreStrayKeys } from './frame/stray-keys.ts';
import { keepTheme } from './frame/theme.ts';
import { speak } from './i18n/i18n.ts';
import './styles/app.css';

keepTheme();
ignoreStrayKeys();
const [pairingFailure] = await Promise.all([pairIfAsked(), speak()]);
const transport = new WebSocketTransport({
  baseUrl: basePath,
  clientId: browserId(),
  key: pageKey,
  openSocket: (path) => new WebSocket(pageUrl(path).replace('http', 'ws')),
});
const room = new ControlRoom(transport, usePreferences.getState().interaction);
room.start();

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no root.');
createRoot(root).render(
  <StrictMode>
    <RoomProvider room={room}>
      <Router base={basePath}>
        <App pairingFailure={pairingFailure} />
      </Router>
    </RoomProvider>
  </StrictMode>,
);

/** A browser that is already known gets in even when the code was used before. */
async function pairIfAsked(): Promise<unknown> {
  const code = takePairingCode();
  if (code === undefined) return null;
  return pair(code).then(
    () => null,
    (error: unknown) => error,
  );
}

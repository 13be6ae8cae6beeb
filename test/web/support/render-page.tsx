import { act, render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { App } from '../../../src/web/app.tsx';
import { ControlRoom } from '../../../src/web/data/control-room.ts';
import { RoomProvider } from '../../../src/web/data/room-context.tsx';
import { FakeTransport } from './fake-transport.ts';

export interface RenderedPage {
  readonly fake: FakeTransport;
  readonly room: ControlRoom;
  /** Tells the page something, and waits until it is drawn. */
  tell(news: () => void): Promise<void>;
}

/** The whole page on a server in the test's hand. */
export function renderPage(fake = new FakeTransport(), children: ReactNode = <App />): RenderedPage {
  const room = new ControlRoom(fake.transport);
  room.start();
  render(<RoomProvider room={room}>{children}</RoomProvider>);
  return {
    fake,
    room,
    tell: (news) =>
      act(async () => {
        news();
        await nextFrames();
      }),
  };
}

/** What comes is drawn with the next frame, and what that asks for with the one after. */
async function nextFrames(): Promise<void> {
  for (let frame = 0; frame < 3; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
}

import type { HttpTransport } from '../../client/http-transport.ts';
import type { Interaction } from '../../protocol/interaction.ts';
import type { Command } from '../command.ts';
import type { Console } from '../console.ts';
import { Failure } from '../failure.ts';
import { clientFlags, isSet } from '../flags.ts';
import { paintFor } from '../render/paint.ts';
import { clientFlagsHelp, connect } from './client-command.ts';
import { openFullScreen } from './full-screen.ts';
import { InboxDesk } from './inbox-desk.ts';
import { watchRoom } from './room-watch.ts';
import { isTerminal } from './screen.ts';
import { watchSession } from './watch.ts';

export const inbox: Command = {
  usage: 'inbox',
  help: `Works through everything that waits for you, with the keys of the page's inbox:

  a allow, or answer    s allow for the session    d deny, or dismiss    e change the input
  x mark, then A allow all that is marked          Space, b read on, and back
  j, k (arrows) next and previous                  Enter opens the session, Escape comes back
  q leaves

A key decides only what has been on the screen for half a second, and allows only what was shown to its end.
${clientFlagsHelp}`,
  flags: clientFlags,
  async run(flags, console) {
    if (!isTerminal(console) || isSet(flags, 'json'))
      throw new Failure('this wants a terminal; "beckon pending" lists what waits, also as JSON');
    const transport = await connect(flags, console);
    for (;;) {
      const chosen = await workThrough(transport, console);
      if (chosen === undefined) return 0;
      const session = await transport.session(chosen.sessionId);
      const end = await watchSession(transport, session, flags, console, { canGoBack: true });
      if (end !== 'back') return end;
    }
  },
};

/** Resolves with the ask whose session is to be opened, or with nothing when the person leaves. */
function workThrough(transport: HttpTransport, console: Console): Promise<Interaction | undefined> {
  return new Promise((resolve, reject) => {
    const desk = new InboxDesk({
      transport,
      paint: paintFor(console),
      now: () => performance.now(),
      redraw: () => screen.draw(),
      open: (interaction) => end(() => resolve(interaction)),
      leave: () => end(() => resolve(undefined)),
    });
    const room = watchRoom(transport, {
      onChange() {
        desk.update(room.pending(), room.sessions());
        screen.draw();
      },
      onFailure: (error) => end(() => reject(error)),
    });
    const screen = openFullScreen(console, {
      rows: (width, height) => (room.isConnected() ? desk.rows(width, height) : ['Connecting …']),
      cursor: () => desk.cursor,
      press: (press) => desk.press(press),
    });

    function end(settle: () => void): void {
      room.close();
      desk.close();
      screen.close();
      settle();
    }
  });
}

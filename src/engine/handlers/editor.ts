import { accept } from '../../protocol/errors.ts';
import { workPlaceOf } from '../turn-recorder.ts';
import { endsOf } from './changes.ts';
import { done, type Handlers } from './room.ts';

/** Files in an editor of the machine where they are. Which program that is, only the configuration there says. */
export const editorHandlers = {
  async readEditor({ machines }, { machine }) {
    const on = machines.find(machine);
    if (!on.ok) return on;
    const commands = await machines.ask(on.value, (runner) => runner.workspace('editor', {}));
    return commands.ok ? accept({ status: 200, body: commands.value }) : commands;
  },

  async openFile(room, { session, file, line, column, diff }) {
    const { machines, settings, ids } = room;
    const { state } = session;
    const ends = diff && (await endsOf(room, session, diff.since ?? 'start', diff.turn));
    if (ends?.ok === false) return ends;
    const opened = await machines.ask(state.machine, (runner) =>
      runner.workspace('open', {
        place: workPlaceOf(state, settings.roots),
        orderId: ids.order(),
        session: state.id,
        file,
        ...(line !== undefined && { line }),
        ...(column !== undefined && { column }),
        ...(ends && { diff: { before: ends.value.before, after: ends.value.after } }),
        since: [...(state.firstRecording === null ? [] : [state.firstRecording]), 'commit'],
      }),
    );
    return opened.ok ? done : opened;
  },
} satisfies Partial<Handlers>;

import { accept } from '../../protocol/errors.ts';
import { workPlaceOf } from '../turn-recorder.ts';
import type { Handlers } from './room.ts';

/** What a person does with what an agent made: commit it, land it, push it. */
export const landingHandlers = {
  async readWorktree({ machines, settings }, { session: { state }, base }) {
    const place = workPlaceOf(state, settings.roots);
    const onto = base ?? state.worktree?.base;
    const found = await machines.ask(state.machine, (runner) =>
      runner.workspace('worktree', { place, ...(onto !== undefined && { base: onto }) }),
    );
    return found.ok ? accept({ status: 200, body: found.value }) : found;
  },

  async commitFiles({ machines, settings, ids }, { session: { state }, ...order }) {
    const request = { place: workPlaceOf(state, settings.roots), orderId: ids.order(), ...order };
    const done = await machines.ask(state.machine, (runner) => runner.workspace('commit', request));
    return done.ok ? accept({ status: 200, body: done.value }) : done;
  },

  async landBranch({ machines, settings, ids }, { session: { state }, ...order }) {
    const request = { place: workPlaceOf(state, settings.roots), orderId: ids.order(), ...order };
    const done = await machines.ask(state.machine, (runner) => runner.workspace('land', request));
    return done.ok ? accept({ status: 200, body: done.value }) : done;
  },

  async pushBranch({ machines, settings, ids }, { session: { state }, ...order }) {
    const request = { place: workPlaceOf(state, settings.roots), orderId: ids.order(), ...order };
    const done = await machines.ask(state.machine, (runner) => runner.workspace('push', request));
    return done.ok ? accept({ status: 200, body: done.value }) : done;
  },
} satisfies Partial<Handlers>;

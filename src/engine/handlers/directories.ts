import { accept } from '../../protocol/errors.ts';
import { placeOn } from '../machines.ts';
import type { Handlers } from './room.ts';

const FILES = 50;

export const directoryHandlers = {
  async completeDirectory({ machines, settings }, { path = '', machine }) {
    const on = machines.find(machine);
    if (!on.ok) return on;
    const place = placeOn(on.value, settings);
    const found = await machines.ask(on.value, (runner) =>
      runner.completeDirectory({ typed: path, ...place }),
    );
    return found.ok ? accept({ status: 200, body: found.value }) : found;
  },

  async findFiles({ machines, settings }, { session, q = '', limit = FILES }) {
    const { cwd, realCwd, machine } = session.state;
    const { roots } = placeOn(machine, settings);
    const found = await machines.ask(machine, (runner) =>
      runner.findFiles({ cwd, realCwd, roots, typed: q, most: limit }),
    );
    return found.ok ? accept({ status: 200, body: found.value }) : found;
  },
} satisfies Partial<Handlers>;

import { accept } from '../../protocol/errors.ts';
import type { Handlers } from './room.ts';

const FILES = 50;

export const directoryHandlers = {
  async completeDirectory({ runner, settings: { defaultCwd, roots } }, { path = '' }) {
    const found = await runner.completeDirectory({ typed: path, cwd: defaultCwd, roots });
    return found.ok ? accept({ status: 200, body: found.value }) : found;
  },

  async findFiles({ runner, settings: { roots } }, { session, q = '', limit = FILES }) {
    const { cwd, realCwd } = session.state;
    const found = await runner.findFiles({ cwd, realCwd, roots, typed: q, most: limit });
    return found.ok ? accept({ status: 200, body: found.value }) : found;
  },
} satisfies Partial<Handlers>;

import type { RunIsolation } from '../../protocol/session.ts';

export const isolationWords: Readonly<Record<RunIsolation, string>> = {
  walls: 'behind walls',
  none: 'without walls',
};

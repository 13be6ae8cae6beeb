import { z } from 'zod';

/** How a server runs its agents; `refused`: not at all, since walls are required and there are none. */
export const IsolationReport = z.object({
  agents: z.enum(['behind-walls', 'without-walls', 'refused']),
  /** Why there are none. */
  reason: z.string().optional(),
});
export type IsolationReport = z.infer<typeof IsolationReport>;

export function isolationLine({ agents, reason = 'unknown' }: IsolationReport): string {
  switch (agents) {
    case 'behind-walls':
      return 'Agents run behind walls';
    case 'without-walls':
      return `Agents run without walls: ${reason}`;
    case 'refused':
      return `No agent can be started: isolation is required, and ${reason}`;
  }
}

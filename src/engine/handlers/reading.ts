import { addUsage, noUsage } from '../../model/usage.ts';
import { accept, refuse } from '../../protocol/errors.ts';
import type { DayUsage } from '../../protocol/reply.ts';
import type { Session } from '../../protocol/session.ts';
import { done, type Handlers } from './room.ts';

const PAGE = 200;
const HITS = 50;
const DAYS = 30;

export const readingHandlers = {
  listEvents({ log }, { session, after, before, limit = PAGE }) {
    const page = log.page(session.id, {
      ...(after === undefined ? {} : { after }),
      ...(before === undefined ? {} : { before }),
      limit,
    });
    return accept({ status: 200, body: page });
  },

  search({ registry, log }, { q, limit = HITS }) {
    const hits = log.search(q, limit).flatMap((hit) => {
      const session = registry.view(hit.stream);
      if (session === undefined) return [];
      const { seq, at, type, excerpt } = hit;
      return [{ sessionId: session.id, title: session.title, seq, at, type, excerpt }];
    });
    return accept({ status: 200, body: { hits } });
  },

  readUsage({ registry, log, clock }, { days = DAYS }) {
    const from = new Date(Date.parse(clock.now()) - (days - 1) * 86_400_000).toISOString().slice(0, 10);
    const usage = new Map<string, DayUsage>();
    const owners = new Map<string, Pick<DayUsage, 'agent' | 'project'>>();
    for (const { stream, day, ...taken } of log.usage(from)) {
      const owner = owners.get(stream) ?? ownerOf(registry.view(stream));
      owners.set(stream, owner);
      const key = JSON.stringify([day, owner]);
      usage.set(key, { day, ...owner, ...addUsage(taken, usage.get(key) ?? noUsage) });
    }
    return accept({ status: 200, body: { usage: [...usage.values()].sort(byDay) } });
  },

  listTools({ toolCatalogue }) {
    return accept({ status: 200, body: toolCatalogue() });
  },

  listChannels({ channels }) {
    return accept({ status: 200, body: { channels: channels() } });
  },

  switchInteraction({ clients }, { clientId, enabled }) {
    return clients.setEnabled(clientId, enabled) ? done : refuse('client_not_found');
  },
} satisfies Partial<Handlers>;

const ownerOf = (session: Session | undefined): Pick<DayUsage, 'agent' | 'project'> => ({
  agent: session?.agent ?? '',
  project: session?.cwd ?? '',
});

const byDay = (one: DayUsage, other: DayUsage): number =>
  one.day < other.day ? -1 : one.day > other.day ? 1 : 0;

import { accept, refuse } from '../../protocol/errors.ts';
import { done, type Handlers } from './room.ts';

const PAGE = 200;
const HITS = 50;

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

  listTools({ toolCatalogue }) {
    return accept({ status: 200, body: toolCatalogue() });
  },

  switchInteraction({ clients }, { clientId, enabled }) {
    return clients.setEnabled(clientId, enabled) ? done : refuse('client_not_found');
  },
} satisfies Partial<Handlers>;

import type { EventsQuery, SearchQuery, SwitchInteraction } from '../../protocol/command.ts';
import { accept, refuse } from '../../protocol/errors.ts';
import type { Handler } from './room.ts';

const PAGE = 200;
const HITS = 50;

export const listEvents: Handler<EventsQuery> = ({ registry, log }, input) => {
  const found = registry.find(input.session);
  if (!found.ok) return found;
  const { after, before, limit = PAGE } = input;
  const page = log.page(found.value.id, {
    ...(after === undefined ? {} : { after }),
    ...(before === undefined ? {} : { before }),
    limit,
  });
  return accept({ status: 200, body: { ...page } });
};

export const search: Handler<SearchQuery> = ({ registry, log }, { q, limit = HITS }) => {
  const hits = log.search(q, limit).flatMap((hit) => {
    const session = registry.view(hit.stream);
    if (session === undefined) return [];
    const { seq, at, type, excerpt } = hit;
    return [{ sessionId: session.id, title: session.title, seq, at, type, excerpt }];
  });
  return accept({ status: 200, body: { hits } });
};

export const listTools: Handler<object> = ({ toolCatalogue }) =>
  accept({ status: 200, body: { ...toolCatalogue() } });

export const switchInteraction: Handler<SwitchInteraction> = ({ clients }, { clientId, enabled }) =>
  clients.setEnabled(clientId, enabled)
    ? accept({ status: 200, body: { status: 'ok' } })
    : refuse('client_not_found');

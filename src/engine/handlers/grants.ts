import { canBeGranted, subjectOf } from '../../model/grants.ts';
import { matches } from '../../model/pattern.ts';
import { interactionFromLog } from '../../model/views.ts';
import type { PreviewGrant } from '../../protocol/command.ts';
import { accept, refuse } from '../../protocol/errors.ts';
import type { Grant } from '../../protocol/grant.ts';
import { GrantId } from '../../protocol/ids.ts';
import type { Ask } from '../../protocol/interaction.ts';
import type { Handler } from './room.ts';

const MOST_LOOKED_AT = 2000;
const MOST_MATCHES = 50;

export const listGrants: Handler<unknown> = ({ registry, book, clock }) => {
  const now = Date.parse(clock.now());
  const inForce = (grant: Grant) => grant.expiresAt === undefined || Date.parse(grant.expiresAt) > now;
  const grants = [...book.grants, ...registry.all().flatMap((session) => session.state.grants)];
  return accept({ status: 200, body: { grants: grants.filter(inForce) } });
};

export const revokeGrant: Handler<unknown> = async ({ registry, book, log, clock }, input, { actor: by }) => {
  const grantId = GrantId.parse(input.grantId);
  if (book.grants.some((grant) => grant.id === grantId)) {
    const event = { type: 'grant.ended', grantId, cause: 'revoked', by } as const;
    await log.append({ parts: [{ stream: 'global', at: clock.now(), events: [event] }] });
    book.fold(event);
    return accept({ status: 200, body: { status: 'ok' } });
  }
  const owner = registry.all().find((session) => session.state.grants.some((grant) => grant.id === grantId));
  if (owner === undefined) return refuse('grant_not_found');
  const done = await owner.runner.command({ type: 'revoke-grant', grantId, by });
  return done.ok ? accept({ status: 200, body: { status: 'ok' } }) : done;
};

const wouldMatch = (pattern: string, ask: Ask): boolean =>
  canBeGranted(ask) && matches(pattern, subjectOf(ask));

/** Which earlier asks a pattern would have matched, newest first. */
export const previewGrant: Handler<PreviewGrant> = ({ registry, log }, { toolName, pattern }) => {
  const found = log
    .findAsks(toolName, MOST_LOOKED_AT)
    .filter(({ event }) => event.type === 'interaction.requested' && wouldMatch(pattern, event.ask))
    .slice(0, MOST_MATCHES);
  const interactions = found.flatMap(({ stream, event }) => {
    const session = registry.get(stream);
    if (session === undefined || event.type !== 'interaction.requested') return [];
    const interaction = interactionFromLog(session.state, log.findByReference(stream, event.interactionId));
    return interaction === undefined ? [] : [interaction];
  });
  return accept({ status: 200, body: { matches: interactions } });
};

import { interactionFromLog, sessionView } from '../../model/views.ts';
import { accept } from '../../protocol/errors.ts';
import { grantUseReference } from '../../protocol/event.ts';
import { GrantId } from '../../protocol/ids.ts';
import type { Handlers } from './room.ts';

const MOST_USES = 500;

export const trustHandlers = {
  async giveTrust({ ids }, { session, minutes }, { actor: by }) {
    const grantId = GrantId.parse(ids.grant());
    const given = await session.writer.command({ type: 'trust', grantId, minutes, by });
    return given.ok ? accept({ status: 200, body: { session: sessionView(session.state) } }) : given;
  },

  async endTrust(_room, { session }, { actor: by }) {
    const ended = await session.writer.command({ type: 'end-trust', by });
    return ended.ok ? accept({ status: 200, body: { session: sessionView(session.state) } }) : ended;
  },

  listGrantUses({ log }, { session, grantId }) {
    const decided = log.findByReference(session.id, grantUseReference(grantId)).slice(-MOST_USES).reverse();
    const uses = decided.flatMap((event) => {
      if (event.type !== 'interaction.decided') return [];
      return interactionFromLog(session.state, log.findByReference(session.id, event.interactionId)) ?? [];
    });
    return accept({ status: 200, body: { uses } });
  },
} satisfies Partial<Handlers>;

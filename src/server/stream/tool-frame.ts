import type { Announcement } from '../../protocol/announcement.ts';
import type { Interaction } from '../../protocol/interaction.ts';

/** An interactive tool's ask, and its end, as clients that know tools by their calls hear of it. */
export function toolFrame(announcement: Announcement): object | undefined {
  switch (announcement.type) {
    case 'approval-requested':
    case 'form-requested': {
      const { data } = announcement;
      return data.tool === undefined
        ? undefined
        : { type: 'interaction_request', ...namesOf(data), timestamp: data.createdAt, interaction: data };
    }
    case 'approval-resolved': {
      const { interaction, at } = announcement.data;
      return interaction.tool === undefined
        ? undefined
        : {
            type: 'interaction_response',
            ...namesOf(interaction),
            timestamp: at,
            response: responseOf(interaction),
          };
    }
    default:
      return undefined;
  }
}

const namesOf = ({ sessionId, turnId, interactionId, toolCallId, tool }: Interaction) => ({
  sessionId,
  turnId,
  interactionId,
  toolCallId: toolCallId ?? tool?.callId,
  callId: tool?.callId,
});

/** In the fields of `respond`; without an action when nobody decided. */
function responseOf({ outcome, decision, resolvedBy: by, resolvedReason }: Interaction) {
  const how = { outcome, by };
  switch (decision?.type) {
    case undefined:
      return { ...how, action: null, ...(resolvedReason === undefined ? {} : { reason: resolvedReason }) };
    case 'allow': {
      const { scope: approvalScope, values } = decision;
      return { ...how, action: 'approve', approvalScope, ...(values === undefined ? {} : { input: values }) };
    }
    case 'deny':
      return { ...how, action: 'deny', reason: decision.message };
    case 'submit':
      return { ...how, action: 'submit', input: decision.values };
    case 'answer':
      return { ...how, action: 'submit', input: decision.answers };
    case 'dismiss':
      return { ...how, action: 'cancel', reason: decision.message };
  }
}

import type { Ask, Decision } from '../../protocol/interaction.ts';
import type { AgentFact } from '../../runner/ports/agent-driver.ts';
import type { JsonObject } from '../fields.ts';
import { notice } from '../notice.ts';
import { permissionReply } from './permission-options.ts';
import { elicitationReply } from './translate/elicitation.ts';

/** The reply to an agent's request: built from the ask as it was stored, and from nothing a client claims. */
export function replyTo(ask: Ask, decision: Decision): { reply: JsonObject; facts: readonly AgentFact[] } {
  if (ask.kind !== 'approval') return { reply: { ...elicitationReply(ask, decision) }, facts: [] };
  const { outcome, remark } = permissionReply(ask, decision);
  return { reply: { outcome }, facts: remark ? [notice('warning', remark.code, remark.text)] : [] };
}

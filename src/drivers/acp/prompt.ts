import type { Capabilities } from '../../protocol/session.ts';
import type { AgentFact, OutgoingMessage } from '../../runner/ports/agent-driver.ts';
import type { JsonObject } from '../fields.ts';
import { notice } from '../notice.ts';

/** A message in the protocol's form. Images that the agent cannot take are left out, and that is said. */
export function promptOf(
  { text, images }: OutgoingMessage,
  capabilities: Capabilities,
): { readonly prompt: readonly JsonObject[]; readonly facts: readonly AgentFact[] } {
  const said = text === '' ? [] : [{ type: 'text', text }];
  if (images.length === 0 || capabilities.images) {
    const shown = images.map(({ mediaType, data }) => ({ type: 'image', mimeType: mediaType, data }));
    return { prompt: [...shown, ...said], facts: [] };
  }
  const unseen = [{ type: 'text', text: '[An image was sent, which you cannot see]' }];
  return {
    prompt: said.length > 0 ? said : unseen,
    facts: [notice('warning', 'images-left-out', 'This agent takes no images: they were left out.')],
  };
}

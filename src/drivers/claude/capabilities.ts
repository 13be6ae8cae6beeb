import type { Capabilities } from '../../protocol/session.ts';
import { type JsonObject, listAt, textAt } from '../fields.ts';

/** The modes both supported versions know. The older one takes any word for a mode, so they are checked here. */
export const permissionModes = ['default', 'acceptEdits', 'plan', 'auto', 'dontAsk', 'bypassPermissions'];

export function claudeCapabilities(outlivesServer: boolean, initialized: JsonObject = {}): Capabilities {
  const models = listAt(initialized, 'models').flatMap((model) => {
    const value = textAt(model, 'value');
    return value === undefined ? [] : [{ value, label: textAt(model, 'displayName') ?? value }];
  });
  return {
    steer: true,
    interrupt: true,
    images: true,
    resume: true,
    setModel: true,
    permissionModes,
    ...(models.length > 0 && { models }),
    editInput: true,
    denyReason: true,
    outlivesServer,
  };
}

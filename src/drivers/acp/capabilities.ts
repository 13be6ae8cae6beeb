import type { Capabilities } from '../../protocol/session.ts';
import { type JsonObject, objectAt } from '../fields.ts';
import type { SessionSettings } from './settings.ts';

/** What any such agent can do, before it has said what it can do. */
export const leastCapabilities = (outlivesServer: boolean): Capabilities => ({
  steer: false,
  interrupt: true,
  images: false,
  resume: false,
  setModel: false,
  permissionModes: [],
  editInput: false,
  denyReason: false,
  knowsSentMessages: false,
  outlivesServer,
});

export function acpCapabilities(
  initialized: JsonObject,
  { mode, model }: SessionSettings,
  outlivesServer: boolean,
): Capabilities {
  const offered = objectAt(initialized, 'agentCapabilities') ?? {};
  return {
    ...leastCapabilities(outlivesServer),
    images: objectAt(offered, 'promptCapabilities')?.image === true,
    resume: resumeMethod(initialized) !== undefined,
    setModel: model !== undefined && model.options.length > 0,
    permissionModes: (mode?.options ?? []).map(({ value }) => value),
    ...(model && model.options.length > 0 && { models: [...model.options] }),
  };
}

/** How a conversation is taken up again: without its history where the agent can, for it is stored here already. */
export function resumeMethod(initialized: JsonObject): 'session/resume' | 'session/load' | undefined {
  const offered = objectAt(initialized, 'agentCapabilities') ?? {};
  if (objectAt(offered, 'sessionCapabilities')?.resume) return 'session/resume';
  return offered.loadSession === true ? 'session/load' : undefined;
}

export function takesHttpTools(initialized: JsonObject): boolean {
  const offered = objectAt(initialized, 'agentCapabilities') ?? {};
  return objectAt(offered, 'mcpCapabilities')?.http === true;
}

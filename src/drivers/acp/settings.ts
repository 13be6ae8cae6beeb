import { z } from 'zod';
import type { Capabilities } from '../../protocol/session.ts';
import type { AgentFact, OutgoingMessage } from '../../runner/ports/agent-driver.ts';
import { notice } from '../facts.ts';
import { isObject, type JsonObject, listAt, objectAt, textAt } from '../fields.ts';
import { leastCapabilities } from './installed.ts';
import { canBeSteered } from './steering.ts';

/** Something of the agent's that can be chosen during a session, and the request that chooses it. Plain data: it is kept. */
export const Choice = z.object({
  current: z.string().optional(),
  options: z.array(z.object({ value: z.string(), label: z.string() })),
  method: z.string(),
  /** The field of the request that holds the value. */
  field: z.string(),
  configId: z.string().optional(),
});
export type Choice = z.infer<typeof Choice>;

export const SessionSettings = z.object({ mode: Choice.optional(), model: Choice.optional() });
export type SessionSettings = z.infer<typeof SessionSettings>;

export function choiceRequest(
  { method, field, configId }: Choice,
  sessionId: string,
  value: string,
): { readonly method: string; readonly params: JsonObject } {
  return { method, params: { sessionId, ...(configId !== undefined && { configId }), [field]: value } };
}

/** What the agent lets one choose, from the reply that opened the session. */
export function settingsIn(opened: JsonObject): SessionSettings {
  return {
    mode: modesIn(opened) ?? configChoice(opened, 'mode'),
    model: configChoice(opened, 'model') ?? modelsIn(opened),
  };
}

/** The present value of an option of this category, where an update tells it. */
export function configValue(update: JsonObject, category: string): string | undefined {
  return configChoice(update, category)?.current;
}

function modesIn(opened: JsonObject): Choice | undefined {
  const modes = objectAt(opened, 'modes');
  if (!modes) return undefined;
  return {
    current: textAt(modes, 'currentModeId'),
    options: listAt(modes, 'availableModes').flatMap((mode) => named(mode, 'id')),
    method: 'session/set_mode',
    field: 'modeId',
  };
}

/** How agents offered models before there were options for everything. */
function modelsIn(opened: JsonObject): Choice | undefined {
  const models = objectAt(opened, 'models');
  if (!models) return undefined;
  return {
    current: textAt(models, 'currentModelId'),
    options: listAt(models, 'availableModels').flatMap((model) => named(model, 'modelId')),
    method: 'session/set_model',
    field: 'modelId',
  };
}

function configChoice(holder: JsonObject, category: string): Choice | undefined {
  const option = listAt(holder, 'configOptions').find(
    (one) => one.type === 'select' && (one.category ?? one.id) === category,
  );
  const configId = option && textAt(option, 'id');
  if (!option || configId === undefined) return undefined;
  return {
    current: textAt(option, 'currentValue'),
    options: listAt(option, 'options').flatMap((entry) =>
      Array.isArray(entry.options)
        ? entry.options.filter(isObject).flatMap((inner) => named(inner, 'value'))
        : named(entry, 'value'),
    ),
    method: 'session/set_config_option',
    field: 'value',
    configId,
  };
}

function named(entry: JsonObject, field: string): { value: string; label: string }[] {
  const value = textAt(entry, field);
  return value === undefined ? [] : [{ value, label: textAt(entry, 'name') ?? value }];
}

export function acpCapabilities(
  initialized: JsonObject,
  { mode, model }: SessionSettings,
  outlivesServer: boolean,
): Capabilities {
  const offered = objectAt(initialized, 'agentCapabilities') ?? {};
  return {
    ...leastCapabilities(outlivesServer),
    steer: canBeSteered(initialized),
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

import { z } from 'zod';
import type { AgentOption, Capabilities } from '../../protocol/session.ts';
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
  /** On or off, and put so in the request. */
  isSwitch: z.boolean().optional(),
});
export type Choice = z.infer<typeof Choice>;

const ConfigOption = Choice.extend({ id: z.string(), label: z.string(), description: z.string().optional() });
type ConfigOption = z.infer<typeof ConfigOption>;

export const SessionSettings = z.object({
  mode: Choice.optional(),
  model: Choice.optional(),
  options: z.array(ConfigOption).default([]),
});
export type SessionSettings = z.output<typeof SessionSettings>;

export function choiceRequest(
  { method, field, configId }: Choice,
  sessionId: string,
  value: string,
): { readonly method: string; readonly params: JsonObject } {
  return { method, params: { sessionId, ...(configId !== undefined && { configId }), [field]: value } };
}

export function optionRequest(option: ConfigOption, sessionId: string, value: string) {
  const { method, params } = choiceRequest(option, sessionId, value);
  if (!option.isSwitch) return { method, params };
  return { method, params: { ...params, type: 'boolean', value: value === 'true' } };
}

/** What the agent lets one choose, from the reply that opened the session. */
export function settingsIn(opened: JsonObject): SessionSettings {
  const configured = configIn(opened);
  return {
    ...configured,
    mode: modesIn(opened, configured.options) ?? configured.mode,
    model: configured.model ?? modelsIn(opened),
  };
}

/** What the options of an agent say: one of them is the mode, one the model; the others are its own. */
export function configIn(holder: JsonObject): SessionSettings {
  const all = listAt(holder, 'configOptions').flatMap(configOption);
  const of = (category: string) =>
    all.find((one) => one.id === category) ?? all.find((one) => one.category === category);
  const [mode, model] = [of('mode'), of('model')];
  const others = all.filter((one) => one !== mode && one !== model && one.current !== undefined);
  return { mode, model, options: others.map(({ category: _, ...option }) => option) };
}

/** The agent's own options as they are told; undefined where there are none to tell of. */
export function optionsIn(holder: JsonObject): AgentOption[] | undefined {
  if (!Array.isArray(holder.configOptions)) return undefined;
  return configIn(holder).options.map(({ id, label, description, current = '', options }) => {
    const asksLess = (askingLess[id] ?? []).filter((value) => options.some((each) => each.value === value));
    return {
      id,
      label,
      ...(description !== undefined && { description }),
      value: current,
      choices: [...options],
      ...(asksLess.length > 0 && { asksLess }),
    };
  });
}

/** Options with which agents can be told not to ask, and the values that do. */
const askingLess: Readonly<Record<string, readonly string[]>> = {
  allow_all: ['on'],
  auto_approve: ['true'],
};

/** Some give what is an option of theirs as modes, too (how much to think): those are none of what may be done unasked. */
function modesIn(opened: JsonObject, others: readonly ConfigOption[]): Choice | undefined {
  const modes = objectAt(opened, 'modes');
  if (!modes) return undefined;
  const options = listAt(modes, 'availableModes').flatMap((mode) => named(mode, 'id'));
  const valuesOf = (choices: readonly { value: string }[]) => choices.map(({ value }) => value).join('\n');
  if (others.some((other) => valuesOf(other.options) === valuesOf(options))) return undefined;
  return {
    current: textAt(modes, 'currentModeId'),
    options,
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

function configOption(option: JsonObject): (ConfigOption & { category: string | undefined })[] {
  const id = textAt(option, 'id');
  if (id === undefined) return [];
  const isSwitch = option.type === 'boolean';
  if (!isSwitch && option.type !== 'select') return [];
  const description = textAt(option, 'description');
  return [
    {
      id,
      configId: id,
      category: textAt(option, 'category'),
      label: textAt(option, 'name') ?? id,
      ...(description !== undefined && { description }),
      current: isSwitch ? String(option.currentValue === true) : textAt(option, 'currentValue'),
      options: isSwitch ? [...onOff] : listAt(option, 'options').flatMap(choicesIn),
      method: 'session/set_config_option',
      field: 'value',
      ...(isSwitch && { isSwitch }),
    },
  ];
}

const onOff = [
  { value: 'true', label: 'On' },
  { value: 'false', label: 'Off' },
];

/** Choices may stand in groups. */
const choicesIn = (entry: JsonObject) =>
  Array.isArray(entry.options)
    ? entry.options.filter(isObject).flatMap((inner) => named(inner, 'value'))
    : named(entry, 'value');

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
    ...(canFork(initialized) && { fork: 'whole' as const }),
    setModel: model !== undefined && model.options.length > 0,
    permissionModes: (mode?.options ?? []).map(({ value }) => value),
    ...(mode?.options.some(({ value, label }) => label !== value) && { modes: [...mode.options] }),
    ...(model && model.options.length > 0 && { models: [...model.options] }),
  };
}

/** How a conversation is taken up again: without its history where the agent can, for it is stored here already. */
export function resumeMethod(initialized: JsonObject): 'session/resume' | 'session/load' | undefined {
  const offered = objectAt(initialized, 'agentCapabilities') ?? {};
  if (objectAt(offered, 'sessionCapabilities')?.resume) return 'session/resume';
  return offered.loadSession === true ? 'session/load' : undefined;
}

/** Agents of this protocol copy a conversation as it is; none can be told to stop at an earlier turn. */
export function canFork(initialized: JsonObject): boolean {
  const offered = objectAt(initialized, 'agentCapabilities') ?? {};
  return isObject(objectAt(offered, 'sessionCapabilities')?.fork);
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

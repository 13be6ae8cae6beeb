import { isObject, type JsonObject, listAt, objectAt, textAt } from '../fields.ts';

/** Something of the agent's that can be chosen during a session, and the request that chooses it. */
export interface Choice {
  readonly current: string | undefined;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  request(sessionId: string, value: string): { readonly method: string; readonly params: JsonObject };
}

export interface SessionSettings {
  readonly mode: Choice | undefined;
  readonly model: Choice | undefined;
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
    request: (sessionId, modeId) => ({ method: 'session/set_mode', params: { sessionId, modeId } }),
  };
}

/** How agents offered models before there were options for everything. */
function modelsIn(opened: JsonObject): Choice | undefined {
  const models = objectAt(opened, 'models');
  if (!models) return undefined;
  return {
    current: textAt(models, 'currentModelId'),
    options: listAt(models, 'availableModels').flatMap((model) => named(model, 'modelId')),
    request: (sessionId, modelId) => ({ method: 'session/set_model', params: { sessionId, modelId } }),
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
    request: (sessionId, value) => ({
      method: 'session/set_config_option',
      params: { sessionId, configId, value },
    }),
  };
}

function named(entry: JsonObject, field: string): { value: string; label: string }[] {
  const value = textAt(entry, field);
  return value === undefined ? [] : [{ value, label: textAt(entry, 'name') ?? value }];
}

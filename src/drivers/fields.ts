import { isRecord as isObject } from '../model/json-pointer.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export { isObject };

/** Reads a field as what it should be; anything else counts as missing. */
export function textAt(object: JsonObject, field: string): string | undefined {
  const value = object[field];
  return typeof value === 'string' ? value : undefined;
}

/** What there is, in words to show: an object may have a `toString` of its own that is no function. */
export function wordsAt(object: JsonObject, field: string): string {
  const value = object[field];
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined');
}

export function numberAt(object: JsonObject, field: string): number | undefined {
  const value = object[field];
  return typeof value === 'number' ? value : undefined;
}

export function objectAt(object: JsonObject, field: string): JsonObject | undefined {
  const value = object[field];
  return isObject(value) ? value : undefined;
}

/** The objects of a list; entries that are none are left out. */
export function listAt(object: JsonObject, field: string): readonly JsonObject[] {
  const value = object[field];
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function textsAt(object: JsonObject, field: string): readonly string[] {
  const value = object[field];
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

/** False for what is nested so deeply that it can be neither shown nor stored. */
export function canBeWritten(value: unknown): boolean {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    return false;
  }
}

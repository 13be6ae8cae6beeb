import { z } from 'zod';
import { isObject, type JsonObject } from './fields.ts';

/** A map that is kept as the list of its entries, and left out while it is empty. */
export const keptMap = <Value extends z.ZodType>(value: Value) =>
  z
    .array(z.tuple([z.string(), value]))
    .default([])
    .transform((entries) => new Map(entries as [string, z.output<Value>][]));

export const keptSet = () =>
  z
    .array(z.string())
    .default([])
    .transform((values) => new Set(values));

/** What a driver remembers as plain data, to be stored beside what it led to, with nearly every line: what is empty is left out. */
export function keptAs(memory: object): JsonObject {
  return Object.fromEntries(
    Object.entries(memory).flatMap(([name, value]: [string, unknown]): [string, unknown][] => {
      if (value instanceof Map)
        return value.size === 0 ? [] : [[name, [...value].map(([key, each]) => [key, copyOf(each)])]];
      if (value instanceof Set) return value.size === 0 ? [] : [[name, [...value]]];
      return value === undefined || value === false ? [] : [[name, copyOf(value)]];
    }),
  );
}

/** It is stored later, and the memory changes meanwhile. */
const copyOf = (value: unknown): unknown => (isObject(value) ? { ...value } : value);

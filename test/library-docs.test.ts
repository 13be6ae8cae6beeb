import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DirectTransport, HttpTransport } from 'beckon/client';
import { describe, expect, it } from 'vitest';
import { type OperationDefinition, operations, paramsIn } from '../src/protocol/operation.ts';
import { serverOperations } from '../src/protocol/server-operation.ts';
import { plain, rowsOf } from './support/markdown-tables.ts';

const guide = readFileSync(join(import.meta.dirname, '../docs/library.md'), 'utf8');

/** What has no entry in the table of operations. */
const besideTheTable = ['pending', 'subscribe', 'follow'];

describe('docs/library.md', () => {
  it('[API19] [API6] lists every call of the table of operations, as it is made, and what it gives', () => {
    for (const [heading, table] of [
      ['Methods of every transport', operations],
      ['Methods over HTTP alone', serverOperations],
    ] as const) {
      const listed = rowsOf(guide, heading)
        .map(([call, gives]) => `${plain(call)} → ${plain(gives)}`)
        .filter((row) => !besideTheTable.includes(row.split('(')[0] ?? ''));
      expect(listed.sort(), heading).toEqual(callsOf(table).sort());
    }
  });

  it('[API19] lists every method that a transport has', () => {
    const named = (heading: string) =>
      rowsOf(guide, heading).map(([call]) => plain(call).split('(')[0] ?? '');
    const everywhere = named('Methods of every transport');
    const http = [...everywhere, ...named('Methods over HTTP alone')];
    expect([...new Set(http)].sort()).toEqual(
      methodsOf(new HttpTransport({ token: 't' }))
        // Under it all of them are made.
        .filter((name) => name !== 'request')
        .sort(),
    );
    for (const name of ['subscribe', 'follow']) expect(name in DirectTransport.prototype).toBe(true);
  });
});

/** `patchQueued(session, messageId, fields) → queue` */
function callsOf(table: Readonly<Record<string, OperationDefinition>>): string[] {
  return Object.values(table).flatMap(({ path, body, query, calls = {} }) => {
    const given = body !== undefined ? ['fields'] : query !== undefined ? ['query'] : [];
    return Object.entries(calls).map(
      ([call, gives]) => `${call}(${[...paramsIn(path), ...given].join(', ')}) → ${words(gives)}`,
    );
  });
}

const words = (gives: string | null): string =>
  gives === null ? 'nothing' : gives === '*' ? 'all of the reply' : gives;

function methodsOf(transport: object): string[] {
  const names = new Set<string>();
  for (let at = transport; at !== Object.prototype; at = Object.getPrototypeOf(at))
    for (const name of Object.getOwnPropertyNames(at))
      if (name !== 'constructor' && typeof Reflect.get(transport, name) === 'function') names.add(name);
  return [...names];
}

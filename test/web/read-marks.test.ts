import { expect, it } from 'vitest';
import { isUnread, readMarks, withBaseline, withRead } from '../../src/web/session/read-marks.ts';
import { aSession, at } from './support/samples.ts';

const usage = (turns: number) => ({ ...aSession().usage, turns });
const asks = (id: string) => ({ status: 'waiting', awaited: { what: 'Bash', id } }) as const;

it('[UI21] a turn that ended, an ask and a failure are news until they are looked at; sleep and a new name are not', () => {
  const old = aSession({ usage: usage(3) });
  let marks = withBaseline(readMarks(null), [old]);
  expect(isUnread(marks, old)).toBe(false);
  expect(isUnread(marks, { ...old, title: 'Other', updatedAt: at(9) })).toBe(false);
  expect(isUnread(marks, { ...old, status: 'asleep', since: at(9), updatedAt: at(9) })).toBe(false);
  const news = [
    { ...old, usage: usage(4), updatedAt: at(9) },
    { ...old, usage: usage(4), ...asks('a'), updatedAt: at(10) },
    { ...old, usage: usage(4), ...asks('b'), updatedAt: at(11) },
    { ...old, usage: usage(4), status: 'failed' as const, since: at(12), updatedAt: at(12) },
  ];
  for (const session of news) {
    expect(isUnread(marks, session)).toBe(true);
    marks = withRead(marks, session);
    expect(isUnread(marks, session)).toBe(false);
  }
  expect(isUnread(readMarks(JSON.stringify(marks)), aSession({ id: 'new', updatedAt: at(20) }))).toBe(false);
  expect(isUnread(marks, aSession({ id: 'new', updatedAt: at(20), usage: usage(1) }))).toBe(true);
  expect(isUnread(marks, aSession({ id: 'older', updatedAt: at(-9), usage: usage(1) }))).toBe(false);
});

it('[UI21] marks that cannot be read are none', () => {
  for (const stored of ['{', '[]', 'null', '{"baseline":1,"marks":null}'])
    expect(readMarks(stored)).toEqual({ baseline: null, marks: {} });
});

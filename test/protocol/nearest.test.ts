import { expect, test } from 'vitest';
import { nearestName } from '../../src/protocol/nearest.ts';

const known = ['agent', 'cwd', 'title', 'permissionMode', 'model', 'env', 'labels', 'askTimeout', 'key'];

test.each([
  ['permisionMode', 'permissionMode'],
  ['permission_mode', 'permissionMode'],
  ['PERMISSIONMODE', 'permissionMode'],
  ['titel', 'title'],
  ['lable', 'labels'],
  ['modle', 'model'],
  ['ky', 'key'],
])('[API4] %s is taken for %s', (name, meant) => {
  expect(nearestName(name, known)).toBe(meant);
});

test('[API4] nothing is proposed where nothing is near', () => {
  expect(nearestName('colour', known)).toBeUndefined();
  expect(nearestName('', known)).toBeUndefined();
  expect(nearestName('title', [])).toBeUndefined();
  expect(nearestName('x'.repeat(1_000_000), known)).toBeUndefined();
});

import { expect, it } from 'vitest';
import type { Row } from '../../src/web/conversation/row.ts';
import { askForMessage, proposedMessage } from '../../src/web/landing/landing.logic.ts';

const said = (seq: number, text: string, more: object = {}): Row => ({
  key: String(seq),
  item: { kind: 'text', at: '', seq, text, isLive: false, ...more } as Row['item'],
  children: [],
  parent: null,
  version: 0,
});

it('[CHG59] the newest block that the agent marked as a commit message since it was asked is its proposal', () => {
  const block = (text: string) => `Here:\n\n\`\`\`commit\n${text}\n\`\`\`\n`;
  const rows = [
    said(3, block('before it was asked')),
    said(7, block('first')),
    said(9, block('Second\n\nwith a body')),
  ];
  expect(proposedMessage(rows, 5)).toBe('Second\n\nwith a body');
  expect(proposedMessage(rows, 9)).toBeUndefined();
  expect(proposedMessage([...rows, said(11, 'no block ```commit')], 5)).toBe('Second\n\nwith a body');
  expect(proposedMessage([said(7, block('half'), { isLive: true })], 5)).toBeUndefined();
  // What the person said is no proposal, whatever stands in it.
  const asked = said(6, askForMessage(['a']), { kind: 'message' });
  expect(proposedMessage([asked], 5)).toBeUndefined();
  const fenced = '````commit\nSay how\n\n```sh\nls\n```\n````';
  expect(proposedMessage([said(7, fenced)], 5)).toBe('Say how\n\n```sh\nls\n```');
});

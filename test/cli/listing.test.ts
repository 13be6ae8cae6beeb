import { describe, expect, it } from 'vitest';
import { parseFlags } from '../../src/cli/flags.ts';
import { sessionList } from '../../src/cli/render/listing.ts';
import { age, duration } from '../../src/cli/render/measures.ts';
import { type Paint, plain } from '../../src/cli/render/paint.ts';
import { shortIds } from '../../src/cli/render/short-ids.ts';
import type { Session } from '../../src/protocol/session.ts';

const session = (id: string, more: Partial<Session>): Session =>
  ({
    id,
    key: null,
    title: 'T',
    agent: 'demo',
    status: 'idle',
    since: '2026-01-01T00:00:00Z',
    pendingCount: 0,
    queueLength: 0,
    ...more,
  }) as Session;

describe('lists', () => {
  it('are aligned, whatever the colours, and leave out empty columns', () => {
    const bold: Paint = (_, text) => `\u001b[1m${text}\u001b[22m`;
    const sessions = [
      session('ses_aaaaaaaa', { status: 'waiting', pendingCount: 2 }),
      session('ses_bbbbbbbb', { title: 'evil\u001b[2J\ntitle' }),
    ];
    const now = Date.parse('2026-01-01T00:02:00Z');
    expect(sessionList(sessions, now, plain)).toEqual([
      'ses_aaaa  waiting  2 min  demo  2 open  T',
      'ses_bbbb  idle     2 min  demo          evil title',
    ]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours are taken off again
    const uncoloured = sessionList(sessions, now, bold).map((line) => line.replace(/\u001b\[\d+m/g, ''));
    expect(uncoloured).toEqual(sessionList(sessions, now, plain));
  });

  it('shorten ids as far as they stay different', () => {
    expect(shortIds(['ses_12345678', 'ses_12349999', 'ses_x'])).toEqual(['ses_12345', 'ses_12349', 'ses_x']);
  });
});

describe('measures', () => {
  it.each([
    [12, '12 ms'],
    [1_234, '1.2 s'],
    [59_999, '1 min 0 s'],
    [252_000, '4 min 12 s'],
    [7_500_000, '2 h 5 min'],
    [200_000_000, '2 d'],
  ])('%i ms are %s', (ms, text) => expect(duration(ms)).toBe(text));

  it('an age never lies in the future', () => {
    expect(age('2026-01-01T00:00:10Z', Date.parse('2026-01-01T00:00:00Z'))).toBe('now');
    expect(age('2026-01-01T00:00:00Z', Date.parse('2026-01-01T05:30:00Z'))).toBe('5 h');
  });
});

describe('the command line', () => {
  it('keeps the order of words and flags', () => {
    const { ordered } = parseFlags(['id', '1', '--other', 'text', '2'], {
      other: { type: 'string', multiple: true },
    });
    expect(ordered.map(({ value }) => value)).toEqual(['id', '1', 'text', '2']);
  });

  it('names a flag that lacks its value or has one too many', () => {
    expect(() => parseFlags(['--port'], { port: { type: 'string' } })).toThrow('--port');
    expect(() => parseFlags(['--json=yes'], { json: { type: 'boolean' } })).toThrow('--json');
  });
});

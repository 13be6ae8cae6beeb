import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Console } from '../../src/cli/console.ts';
import { followAsConversation } from '../../src/cli/terminal/follow-session.ts';
import { historyInMemory } from '../../src/cli/terminal/history.ts';
import type { Following, Transport } from '../../src/client/transport.ts';
import type { SessionSnapshot } from '../../src/protocol/announcement.ts';
import { InteractionId } from '../../src/protocol/ids.ts';
import type { Session } from '../../src/protocol/session.ts';
import { holds } from '../support/eventually.ts';

/** A terminal without a clock: keys go in, and what was written can be read. */
function fakeTerminal() {
  let written = '';
  const stdin = Object.assign(new EventEmitter(), { isTTY: true, setRawMode() {}, resume() {}, pause() {} });
  const stdout = Object.assign(new EventEmitter(), {
    isTTY: true,
    columns: 100,
    rows: 40,
    write: (text: string) => {
      written += text;
      return true;
    },
  });
  const console = { env: {}, cwd: '/', stdin, stdout, stderr: stdout, color: 'never' } as unknown as Console;
  return { console, type: (keys: string) => stdin.emit('data', Buffer.from(keys)), written: () => written };
}

describe('a terminal that follows a session', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function follow() {
    const terminal = fakeTerminal();
    const sent: unknown[] = [];
    let following: Following = {};
    const session = { id: 'ses_1', status: 'waiting', lastSeq: 0, queueLength: 0 } as unknown as Session;
    const transport = {
      follow: (_id: string, asked: Following) => {
        following = asked;
        return () => {};
      },
      session: async () => session,
      approve: async (_id: string, body: { decision: string }) => sent.push(body.decision),
      sendMessage: async (_id: string, { message }: { message: string }) => {
        sent.push(message);
        return { status: 'sent' };
      },
    } as unknown as Transport;
    const history = historyInMemory();
    const ended = followAsConversation(transport, session, terminal.console, {
      after: 0,
      isInteractive: true,
      isOnce: false,
      canGoBack: true,
      whileBusy: 'queue',
      history,
    });
    const snapshot = (pending: readonly object[]) =>
      following.onSnapshot?.({ session, lastSeq: 0, partial: [], pending } as unknown as SessionSnapshot);
    return { ...terminal, sent, snapshot, ended, history };
  }
  const ask = {
    interactionId: InteractionId.parse('int_1'),
    kind: 'approval',
    toolName: 'Bash',
    title: 'ls',
    input: { command: 'ls' },
  };

  it('[TERM11] a line that was begun on what had only just come up decides nothing; it can be brought back', async () => {
    const { type, written, sent, snapshot, history } = follow();
    snapshot([ask]);
    expect(written()).toContain('Bash');
    expect(written()).not.toContain('[a]llow once');
    vi.advanceTimersByTime(499);
    type('a');
    vi.advanceTimersByTime(1_000);
    expect(written()).toContain('[a]llow once');
    type('\r');
    expect(written()).toContain('had only just come up; nothing was sent. Ctrl-Y brings back');
    type('\u0019');
    type('\r');
    await holds(() => expect(sent).toEqual(['allow']));
    expect(history.entries).toEqual([]);
  });

  it('[TERM4] a message is kept to be called back, also one that goes past what is asked', async () => {
    const { type, sent, snapshot, history, ended } = follow();
    snapshot([ask]);
    vi.advanceTimersByTime(500);
    type('> wait\r');
    await holds(() => expect(sent).toEqual(['wait']));
    expect(history.entries).toEqual(['wait']);
    type('\u001b');
    vi.advanceTimersByTime(50);
    expect(await ended).toBe('back');
  });
});

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { openSqliteLog } from '../../src/log/sqlite-log.ts';
import { endRoomsAfterEach, openRoom } from '../support/engine-room.ts';
import { bashAsk } from '../support/session-states.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
endRoomsAfterEach();

const asks = 30;

it('[PERF6] [ASK5] an ask, its answer and its result are three commits, of few pages', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'beckon-cost-'));
  const path = join(directory, 'beckon.db');
  const log = openSqliteLog({ path });
  closing.push(async () => {
    await log.close();
    rmSync(directory, { recursive: true });
  });
  /** What SQLite keeps in the memory it shares: transactions so far, and pages in the write-ahead log. */
  const written = (): { commits: number; pages: number } => {
    const shared = readFileSync(`${path}-shm`);
    return { commits: shared.readUInt32LE(8), pages: shared.readUInt32LE(16) };
  };

  const room = await openRoom({ log });
  const [session, agent] = await room.running();
  let offset = 0;
  const result = (toolCallId: string) =>
    ({ type: 'tool.result', toolCallId, isError: false, text: 'done' }) as const;
  room.driver.onWrite = (wrote) => {
    if (wrote.kind !== 'answer') return;
    offset += 100;
    // When it has read the answer, and not before that is known to be written.
    setImmediate(() => agent.reportAt(offset, { type: 'said', event: result(wrote.ask.toolCallId ?? '') }));
  };

  const counts: { commits: number; pages: number }[] = [];
  for (let number = 0; number < asks; number += 1) {
    const before = written();
    const ask = bashAsk(`r${number}`, 'ls');
    const toolCallId = ask.toolCallId ?? '';
    const { toolName: name, input } = ask;
    offset += 100;
    agent.reportAt(
      offset,
      {
        type: 'said',
        event: {
          type: 'tool.called',
          agentMessageId: `m${number}`,
          block: 0,
          toolCallId,
          name,
          input,
          startsAgent: false,
        },
      },
      { type: 'asked', ask },
    );
    const isThis = (event: { readonly toolCallId: string }): boolean => event.toolCallId === toolCallId;
    const { interactionId } = await room.event(
      session,
      'interaction.requested',
      (event) => event.ask.toolCallId === toolCallId,
    );
    await room.do('approve', { session, requestId: interactionId, decision: 'allow' });
    await room.event(session, 'tool.result', isThis);
    const after = written();
    counts.push({ commits: after.commits - before.commits, pages: after.pages - before.pages });
  }

  expect(room.all(session, 'interaction.resolved').map(({ delivered }) => delivered)).toEqual(
    Array.from({ length: asks }, () => true),
  );
  // Of most: entries by which events are found are made now and then, and what is not told in time is told by itself.
  expect(median(counts.map(({ commits }) => commits))).toBeLessThanOrEqual(3);
  expect(median(counts.map(({ pages }) => pages))).toBeLessThan(6.5);
});

const median = (all: readonly number[]): number => all.toSorted((a, b) => a - b)[all.length >> 1] ?? 0;

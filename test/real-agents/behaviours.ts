import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { isRunning } from '../support/running.ts';
import { text, toolUse } from './model-stand-in.ts';
import type { Room } from './room.ts';

/** What a session with Claude Code does alike, whichever driver it is reached by. */

export async function stopEndsItsCommand({ model, start }: Room): Promise<void> {
  model.on('wait', [
    toolUse('Bash', { command: 'echo $$ > shell.pid; tail -f /dev/null' }, [text('Never.')]),
  ]);
  const session = await start('wait');
  const { interactionId } = await session.nextAsk();
  await session.post('approve', { requestId: interactionId, decision: 'allow' });
  const file = join(session.cwd, 'shell.pid');
  await expect.poll(() => existsSync(file) && readFile(file, 'utf8')).toMatch(/^\d+\n$/);
  const pid = Number(await readFile(file, 'utf8'));
  expect(await session.post('stop')).toMatchObject({ status: 200, body: { status: 'ok' } });
  expect(isRunning(pid)).toBe(false);
}

export async function goesOnInTheNextServer(room: Room): Promise<void> {
  const { model } = room;
  model.on('remember the word plum', [text('I will.')]);
  model.on('which word', [text('Plum.')]);
  const session = await room.start('remember the word plum');
  await session.watch.event('turn.ended');
  expect(await room.beckon.stop()).toMatchObject({ code: 0 });

  await room.serveAgain();
  expect((await session.get()).body.session.status).toBe('asleep');
  expect(await session.post('message', { message: 'which word' })).toMatchObject({ status: 202 });
  const request = await model.nextRequest(({ prompt }) => prompt === 'which word');
  expect(JSON.stringify(request.body.messages)).toContain('remember the word plum');
}

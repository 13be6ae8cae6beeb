import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, describe, expect, it } from 'vitest';
import type { Interaction } from '../../src/protocol/interaction.ts';
import type { Machine } from '../../src/protocol/machine.ts';
import { type Beckon, endBeckons, startBeckon } from '../support/beckon-process.ts';
import { eventually } from '../support/eventually.ts';

const command = {
  node: process.execPath,
  program: join(import.meta.dirname, '../support/machines-program.ts'),
};
const folders: string[] = [];
afterEach(async () => {
  await endBeckons();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const leave = ({ dataDir }: Beckon): void => writeFileSync(join(dataDir, 'away'), '');
const comeBack = ({ dataDir }: Beckon): void => rmSync(join(dataDir, 'away'));

async function machine(beckon: Beckon, state: string): Promise<Machine> {
  return eventually(`gpu-1 is ${state}`, async () => {
    const { machines } = (await beckon.api('GET', '/api/machines')).body;
    return (machines as Machine[]).find((one) => one.name === 'gpu-1' && one.state === state);
  });
}

const firstAsk = async (beckon: Beckon, id: string): Promise<Interaction | undefined> =>
  (await pendingOf(beckon, id))[0];

async function asking(beckon: Beckon) {
  await machine(beckon, 'reachable');
  const cwd = mkdtempSync(join(tmpdir(), 'beckon-there-'));
  folders.push(cwd);
  const file = join(cwd, 'made');
  const prompt = `run echo made >> ${file}`;
  const { stdout } = await beckon.run(['new', '--machine', 'gpu-1', '--cwd', cwd, '--agent', 'demo', prompt]);
  const id = stdout.trim();
  const open = await eventually('it asks', () => firstAsk(beckon, id));
  return { id, file, requestId: open.requestId };
}

const pendingOf = async (beckon: Beckon, id: string) =>
  (await beckon.api('GET', `/api/sessions/${id}/pending`)).body.pending;
const interactionOf = async (beckon: Beckon, id: string, requestId: string) =>
  (await beckon.api('GET', `/api/sessions/${id}/interactions/${requestId}`)).body.interaction;

describe('a second machine, with real agents', () => {
  it('[CLU21] [CLU27] is cut off in the middle of an ask; the answer waits, the server is killed and comes back without it, and the answer is given once', async () => {
    const first = await startBeckon({ command });
    const { dataDir } = first;
    const { id, file, requestId } = await asking(first);
    const machines = (await first.run(['machines'])).stdout;
    expect(machines).toMatch(/^local +reachable +0 sessions/m);
    expect(machines).toMatch(
      /^gpu-1 +reachable +1 session +1 open +42 % busy, 3\.3 of 16\.0 GB free +demo /m,
    );
    leave(first);
    await machine(first, 'unreachable');
    expect((await first.run(['approve'])).stdout).toBe(
      'allowed: Bash (not yet delivered: gpu-1 cannot be reached)\n',
    );
    const sent = await first.api('POST', `/api/sessions/${id}/message`, { message: 'run echo twice' });
    expect(sent.body.reason).toContain('"gpu-1" cannot be reached');
    await first.kill9();

    const second = await startBeckon({ command, dataDir });
    const [status, list] = await Promise.all([
      second.run(['status']),
      second.run(['ls', '--machine', 'gpu-1']),
    ]);
    expect(status.stdout).toMatch(/^machine +gpu-1 +unreachable for .*1 session$/m);
    expect(list.stdout).toMatch(/running .*demo +gpu-1 +1 queued/);
    expect(await interactionOf(second, id, requestId)).toMatchObject({
      outcome: 'allowed',
      undelivered: { machine: 'gpu-1' },
    });
    expect(existsSync(file)).toBe(false);
    comeBack(second);
    await eventually('it is delivered', async () => (await interactionOf(second, id, requestId)).deliveredAt);
    await eventually('the file is there', async () => existsSync(file) && readFileSync(file, 'utf8') !== '');
    // The message that waited, too, has been sent by the time it asks once more.
    await eventually('it asks again', async () => (await pendingOf(second, id))[0]);
    expect(readFileSync(file, 'utf8')).toBe('made\n');
  });

  it('[CLU24] [CLU25] [CLU27] is given up, comes back, and its agent is taken: what it waits for is asked again', async () => {
    const beckon = await startBeckon({ command });
    const { id, file, requestId } = await asking(beckon);
    leave(beckon);
    await machine(beckon, 'unreachable');
    const asked = await beckon.run(['machines', '--give-up', 'gpu-1']);
    expect(asked.stderr).toContain(
      '1 session of gpu-1 would end as failed, and what is asked there (1) as lost',
    );
    expect(await pendingOf(beckon, id)).toHaveLength(1);
    await beckon.api('POST', '/api/machines/gpu-1/give-up');
    expect(await interactionOf(beckon, id, requestId)).toMatchObject({ outcome: 'lost' });
    expect((await beckon.api('GET', `/api/sessions/${id}`)).body.session.status).toBe('failed');

    comeBack(beckon);
    const { unclaimed } = await machine(beckon, 'reachable');
    expect(unclaimed).toMatchObject([{ sessionId: id, canBeTaken: true, isRunning: true }]);
    const taken = await beckon.run(['machines', '--take', unclaimed[0]?.runId ?? '']);
    expect(taken.code).toBe(0);
    const again = (await firstAsk(beckon, id))?.requestId;
    expect(again).not.toBe(requestId);
    await beckon.api('POST', `/api/sessions/${id}/approve`, { requestId: again, decision: 'allow' });
    await eventually('the file is there', async () => existsSync(file) && readFileSync(file, 'utf8') !== '');
    await eventually(
      'it is idle',
      async () => (await beckon.api('GET', `/api/sessions/${id}`)).body.session.status === 'idle',
    );
    expect(readFileSync(file, 'utf8')).toBe('made\n');
  });
});

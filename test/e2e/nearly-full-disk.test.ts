import { readFileSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Beckon, endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { eventually } from '../support/eventually.ts';
import { mountSmallDisk, type SmallDisk } from '../support/small-disk.ts';
import { endWatches, watch } from '../support/watch.ts';

const probe = mountSmallDisk(1);
probe?.remove();

const megabyte = 1024 * 1024;
let disk: SmallDisk;
beforeEach(() => {
  // Large enough that what is left when agents are stopped lasts for seconds: the limits are shares of it.
  disk = mountSmallDisk(1024) as SmallDisk;
});
afterEach(async () => {
  endWatches();
  await endBeckons();
  disk.remove();
});

const pieces = 600;
/** Speaks Claude Code's language, says one thing after the other, and ends with 1 when it cannot. */
const chatterbox = `#!${process.execPath}
  const { randomUUID } = require('node:crypto');
  const session_id = randomUUID();
  const say = (line) => process.stdout.write(JSON.stringify({ session_id, uuid: randomUUID(), ...line }) + '\\n');
  const told = { commands: [], models: [], capabilities: [] };
  if (process.argv.includes('--version')) console.log('9.9.9 (chatterbox)');
  else require('node:readline').createInterface({ input: process.stdin }).on('line', (text) => {
    const line = JSON.parse(text);
    if (line.type === 'control_request')
      say({ type: 'control_response', response: { subtype: 'success', request_id: line.request_id, response: told } });
    if (line.type !== 'user') return;
    say({ type: 'system', subtype: 'init', cwd: process.cwd(), model: 'chatterbox', tools: [] });
    say({ ...line, isReplay: true, parent_tool_use_id: null });
    let n = 0;
    const next = () => {
      const content = [{ type: 'text', text: 'piece ' + n + ' ' + 'x'.repeat(1000) }];
      say({ type: 'assistant', message: { id: 'msg_' + n, role: 'assistant', content }, parent_tool_use_id: null });
      if (++n < ${pieces}) setTimeout(next, 15);
      else say({ type: 'result', subtype: 'success', is_error: false, duration_ms: 1, num_turns: 1, result: 'done', total_cost_usd: 0, usage: {} });
    };
    next();
  }).on('close', () => process.exit(0));
`;

const health = async (beckon: Beckon) => (await beckon.api('GET', '/api/health')).body.storage;

/** As the system sees the process: `T` is stopped. */
const stateOf = (pid: number): string =>
  /^State:\s*(\S)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '';

// A file system of its own can be mounted by root alone.
describe.skipIf(probe === undefined)('a disk that is nearly full (skipped where none can be mounted)', () => {
  it('[STORE9] an agent is stopped before its own output fails, it is said, and it goes on when there is room', async () => {
    const program = join(await temporaryDirectory(), 'chatterbox');
    await writeFile(program, chatterbox);
    await chmod(program, 0o755);
    const beckon = await startBeckon({ dataDir: disk.path, args: ['--claude', program] });
    const stream = await watch(beckon);
    const cwd = await temporaryDirectory();
    await beckon.api('POST', '/api/sessions', { agent: 'claude', key: 's', cwd, prompt: 'talk' });
    await eventually('it talks', async () => {
      const { events } = (await beckon.api('GET', '/api/sessions/s/events?limit=5')).body;
      return events.some(({ type }: { type: string }) => type === 'agent.text');
    });
    const { agents } = JSON.parse((await beckon.run(['status', '--json'])).stdout);
    disk.fill(4 * megabyte);

    await stream.until(
      'it is told',
      ({ event, data }) => event === 'storage-changed' && data.room === 'none',
    );
    await eventually('it is stopped', () => stateOf(agents[0].pid) === 'T');
    expect(await health(beckon)).toMatchObject({ room: 'none' });
    expect(beckon.stderr()).toContain('The disk is nearly full');
    expect((await beckon.run(['status'])).stdout).toContain('the disk is nearly full: all agents wait');

    disk.makeRoom();
    await stream.until(
      'the good news',
      ({ event, data }) => event === 'storage-changed' && data.ok && data.room === undefined,
    );
    await eventually('its turn has ended', async () => {
      const { session } = (await beckon.api('GET', '/api/sessions/s')).body;
      return session.status === 'idle' && session.usage.turns === 1;
    });
    const { events } = (await beckon.api('GET', '/api/sessions/s/events?limit=1000')).body;
    const said = events.flatMap((event: { type: string; text?: string }) =>
      event.type === 'agent.text' ? Number(event.text?.split(' ')[1]) : [],
    );
    expect(said).toEqual(Array.from({ length: pieces }, (_, index) => index));
    expect(events.filter(({ type }: { type: string }) => type === 'process.exited')).toEqual([]);
    expect(await health(beckon)).toEqual({ ok: true, missing: [] });
  });
});

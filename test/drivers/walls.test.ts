import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FileProcessHost } from '../../src/drivers/process/file-process-host.ts';
import { LocalProcessHost } from '../../src/drivers/process/local-process-host.ts';
import { agentStatus, stopAgents } from '../../src/drivers/process/run-admin.ts';
import { findWalls, type Walls } from '../../src/drivers/process/walls.ts';
import type { ProcessHost } from '../../src/runner/ports/process-host.ts';
import { eventually } from '../support/eventually.ts';
import { markedProcesses } from '../support/marked-processes.ts';
import { ProcessRoom, textOf } from '../support/process-room.ts';
import { isRunning } from '../support/running.ts';

const env = { PATH: process.env.PATH ?? '' };
const hasWalls = spawnSync('bwrap', ['--dev-bind', '/', '/', '--unshare-pid', 'true']).status === 0;

describe.skipIf(!hasWalls)('walls around agents (skipped where bubblewrap does not work)', () => {
  let room: ProcessRoom;
  let dataDir: string;
  let walls: Walls;

  beforeEach(async () => {
    room = new ProcessRoom();
    dataDir = mkdtempSync(join(tmpdir(), 'beckon-walled-'));
    writeFileSync(join(dataDir, 'token'), 'the token');
    const found = await findWalls(dataDir, env);
    if ('missing' in found) throw new Error(found.missing);
    walls = found;
  });

  afterEach(async () => {
    await stopAgents(dataDir);
    await eventually('nothing is left', () => markedProcesses(dataDir).length === 0);
    rmSync(dataDir, { recursive: true, force: true });
    await room.end();
  });

  const hosts: [string, () => ProcessHost][] = [
    ['on files', () => new FileProcessHost({ dataDir, walls })],
    ['on pipes', () => new LocalProcessHost({ dataDir, walls })],
  ];

  test('[SEC11] [CHG51] in a worktree below the data directory an agent has that, and neither the others nor the token', async () => {
    for (const name of ['own', 'other']) {
      mkdirSync(join(dataDir, 'worktrees/shop-1', name), { recursive: true });
      writeFileSync(join(dataDir, 'worktrees/shop-1', name, 'file'), name);
    }
    const cwd = join(dataDir, 'worktrees/shop-1/own');
    const host = new LocalProcessHost({ dataDir, walls });
    const agent = host.start({ ...room.shell(`pwd; find ${dataDir} -type f; echo new > made`), cwd });
    expect(agent.isolation).toBe('walls');
    agent.closeInput();
    expect((await textOf(agent)).trimEnd().split('\n')).toEqual([cwd, join(cwd, 'file')]);
    expect(readFileSync(join(cwd, 'made'), 'utf8')).toBe('new\n');
    expect(walls.around({ ...room.shell(''), cwd: join(dataDir, 'worktrees/shop-1') }, 'm')).toHaveProperty(
      'cannot',
    );
  });

  test.each(hosts)(
    '[SEC11] %s: the token, other runs and other processes are not there; what it needs is',
    async (_, open) => {
      const config = join(dataDir, 'mcp', 'own.json');
      mkdirSync(join(dataDir, 'mcp'));
      writeFileSync(config, 'for this agent');
      writeFileSync(join(dataDir, 'mcp', 'other.json'), 'for another');
      const host = open();
      const script = `cat ${join(dataDir, 'token')} 2>&1; find ${dataDir} -type f; cat ${config}; echo; ls /proc | grep -c '^[0-9]'; ls /proc/${process.pid} 2>&1 | head -1; cat`;
      const agent = host.start({ ...room.shell(script), needs: [config] });
      expect(agent.isolation).toBe('walls');
      expect(await agent.write('and it is spoken to\n')).toEqual({ ok: true });
      agent.closeInput();
      const lines = (await textOf(agent)).trimEnd().split('\n');
      expect(lines[0]).toContain('No such file');
      expect(lines.slice(1, 3)).toEqual([config, 'for this agent']);
      expect(Number(lines[3])).toBeLessThan(10);
      expect(lines[4]).toContain('No such file');
      expect(lines[5]).toBe('and it is spoken to');
      expect(await agent.exited).toEqual({ kind: 'exited', code: 0, signal: null });
      await host.close();
    },
  );

  test.each(hosts)(
    '[SES6] [SEC11] %s: its end is the end of everything it ever started, also of what hid',
    async (_, open) => {
      const host = open();
      const hidden = `env -i PATH="$PATH" setsid sh -c 'exec sleep 4242' &`;
      const agent = host.start(room.shell(`(${hidden}) ; sleep 0.1; echo started; cat`));
      const output = textOf(agent);
      const pid = await eventually('the hidden one runs', () => pidOf('sleep 4242'));
      expect(isRunning(pid)).toBe(true);
      agent.closeInput();
      expect(await output).toBe('started\n');
      await agent.exited;
      await eventually('it is gone', () => !isRunning(pid));
      await host.close();
    },
  );

  test.each(hosts)(
    '[SES6] [SEC11] %s: when it is said to be ended, nothing of it is left',
    async (_, open) => {
      const host = open();
      const hidden = `env -i PATH="$PATH" setsid sleep 4343 &`;
      const agent = host.start(room.shell(`for n in $(seq 80); do ${hidden} done; echo started; cat`));
      const heard: string[] = [];
      agent.readOutput({ chunk: (chunk) => heard.push(chunk.toString()), end() {} });
      await eventually(
        'they run',
        () => heard.join('') === 'started\n' && pidsOf('sleep 4343').length === 80,
      );
      await agent.end();
      expect(pidsOf('sleep 4343')).toEqual([]);
      await host.close();
    },
  );

  test('[SES6] a program behind walls gets the chance to end by itself, and is killed if it does not', async () => {
    const host = new FileProcessHost({ dataDir, walls });
    const polite = host.start(
      room.shell(`trap 'echo bye; exit 3' TERM; echo up; while :; do sleep 0.05; done`),
    );
    const stubborn = host.start(room.shell(`trap '' TERM; echo up; while :; do sleep 0.05; done`));
    const said = [polite, stubborn].map((agent) => {
      const heard: string[] = [];
      agent.readOutput({ chunk: (chunk) => heard.push(chunk.toString()), end() {} });
      return heard;
    });
    await eventually('both are up', () => said.every((heard) => heard.join('').startsWith('up\n')));
    await Promise.all([polite.end(), stubborn.end({ graceMs: 200 })]);
    expect(await polite.exited).toEqual({ kind: 'exited', code: 3, signal: null });
    expect(await stubborn.exited).toMatchObject({ kind: 'exited', code: 137 });
    await eventually('all was read', () => said[0]?.join('') === 'up\nbye\n');
    await host.close();
  });

  test('[SES10] it outlives its server behind its walls, and the next one speaks to it', async () => {
    const first = new FileProcessHost({ dataDir, walls });
    const spec = room.spec('cat', []);
    const agent = first.start(spec);
    expect(await agent.write('one\n')).toEqual({ ok: true });
    await first.detach();
    const [status] = await agentStatus(dataDir);
    expect(status).toMatchObject({ running: true, isolation: 'walls' });
    await eventually('the agent itself is the one that is told', async () => {
      const [{ pid } = {}] = await agentStatus(dataDir);
      return spawnSync('ps', ['-o', 'comm=', '-p', String(pid)], { encoding: 'utf8' }).stdout === 'cat\n';
    });
    const second = new FileProcessHost({ dataDir, walls });
    expect(await second.kept()).toMatchObject([{ id: spec.id, running: true }]);
    const again = second.attach(spec.id, 0);
    if (again === undefined) throw new Error('It is not there');
    expect(again.isolation).toBe('walls');
    expect(await again.write('two\n')).toEqual({ ok: true });
    const output = textOf(again);
    again.closeInput();
    expect(await output).toBe('one\ntwo\n');
    await second.close();
  });

  test('[SEC11] an agent cannot take the walls down', async () => {
    const host = new FileProcessHost({ dataDir, walls });
    const tries = [
      `umount ${dataDir}`,
      `mount -t tmpfs none /mnt`,
      `nsenter -t 1 -m cat ${dataDir}/token`,
      `unshare -m umount ${dataDir}`,
      `unshare -Urm sh -c 'umount ${dataDir}; cat ${dataDir}/token'`,
      `mknod ${room.dir}/disk b 254 0`,
      `cat /proc/1/root${dataDir}/token`,
    ];
    const agent = host.start(
      room.shell(
        tries
          .map((attempt) => `${attempt} >/dev/null 2>&1 && echo '${attempt.split(' ')[0]} got through'`)
          .join('; '),
      ),
    );
    expect(await textOf(agent)).toBe('');
    await host.close();
  });

  test('[SEC11] of the hidden files an agent has its input, its output and its errors open, and no other', async () => {
    const host = new FileProcessHost({ dataDir, walls });
    const agent = host.start(room.shell('ls -l /proc/$$/fd'));
    const open = (await textOf(agent)).split('\n').filter((line) => line.includes(dataDir));
    expect(open.map((line) => line.split('/').at(-1))).toEqual(['in', 'out', 'err']);
    await host.close();
  });

  test('[SEC11] where the directory lies in the data directory there are no walls: refused if they are required', async () => {
    const cwd = join(dataDir, 'work');
    mkdirSync(cwd);
    const spec = { ...room.shell('echo here'), cwd };
    const easy = new FileProcessHost({ dataDir, walls });
    const agent = easy.start(spec);
    expect(agent.isolation).toBe('none');
    expect(await textOf(agent)).toBe('here\n');
    await easy.close();
    const strict = new FileProcessHost({ dataDir, walls, isRequired: true });
    expect(await strict.start({ ...spec, id: 'strict' }).exited).toMatchObject({
      kind: 'spawn-failed',
      message: expect.stringContaining('data directory'),
    });
    await strict.close();
  });

  const pidOf = (command: string): number | undefined => pidsOf(command)[0];

  function pidsOf(command: string): number[] {
    const { stdout } = spawnSync('pgrep', ['-f', '-x', command], { encoding: 'utf8' });
    return stdout.trim().split('\n').filter(Boolean).map(Number);
  }
});

test('[SEC11] where nothing can make walls it is said why, and with "require" no agent starts', async () => {
  const room = new ProcessRoom();
  expect(await findWalls(room.dir, { PATH: '' })).toEqual({
    missing: '"bwrap" is not installed (the package is called "bubblewrap")',
  });
  const broken = join(room.dir, 'bwrap');
  writeFileSync(broken, '#!/bin/sh\necho "no permission" >&2; exit 1\n', { mode: 0o755 });
  expect(await findWalls(room.dir, { PATH: room.dir })).toEqual({
    missing: '"bwrap" does not work here: no permission',
  });
  const host = new FileProcessHost({ dataDir: room.dir, isRequired: true });
  expect(await host.start(room.shell('true')).exited).toMatchObject({
    kind: 'spawn-failed',
    message: expect.stringContaining('cannot be isolated'),
  });
  await host.close();
  await room.end();
});

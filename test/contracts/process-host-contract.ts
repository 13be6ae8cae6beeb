import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SessionId } from '../../src/protocol/ids.ts';
import type { ProcessHost, ProcessSpec } from '../../src/runner/ports/process-host.ts';
import type { RawDirection } from '../../src/runner/ports/raw-log.ts';
import { eventually } from '../support/eventually.ts';
import { orphan, ProcessRoom, textOf } from '../support/process-room.ts';
import { isRunning } from '../support/running.ts';

export interface HostParts {
  readonly dataDir: string;
}

/** A host, and what went over the wire of one of its sessions, by direction. */
export interface OpenHost {
  readonly host: ProcessHost;
  raw(sessionId: SessionId): Promise<Partial<Record<RawDirection, string>>>;
}

/** What every process host does. */
export function processHostContract(name: string, open: (parts: HostParts) => OpenHost): void {
  describe(name, () => {
    let room: ProcessRoom;
    let host: ProcessHost;

    beforeEach(() => {
      room = new ProcessRoom();
      ({ host } = open({ dataDir: room.dir }));
    });

    afterEach(async () => {
      await host.close();
      await room.end();
    });

    test('a process gets its input, directory and environment, and nothing of ours', async () => {
      const spec = {
        ...room.shell('pwd; env; cat'),
        env: { PATH: process.env.PATH ?? '', GREETING: 'hello' },
      };
      const agent = host.start(spec);
      expect(await agent.write('from stdin\n')).toEqual({ ok: true });
      agent.closeInput();
      const lines = (await textOf(agent)).trim().split('\n');
      expect(lines[0]).toBe(room.dir);
      expect(lines).toContain('GREETING=hello');
      expect(lines).toContain('from stdin');
      const names = lines.map((line) => line.split('=')[0]).filter((name) => name?.startsWith('BECKON'));
      expect(names).toEqual(['BECKON_PROCESS']);
      expect(await agent.exited).toEqual({ kind: 'exited', code: 0, signal: null });
    });

    test('output comes with offsets, and what is printed before there is a reader is not lost', async () => {
      const agent = host.start(room.shell('echo early; echo $$ > started; read line; echo late'));
      await room.pidIn('started');
      const seen: [number, number][] = [];
      let text = '';
      const ended = new Promise<void>((resolve) => {
        agent.readOutput({
          chunk(chunk, offset) {
            seen.push([offset, chunk.length]);
            text += chunk;
          },
          end: resolve,
        });
      });
      await agent.write('go\n');
      await ended;
      expect(text).toBe('early\nlate\n');
      let expected = 0;
      for (const [offset, length] of seen) {
        expect(offset).toBe(expected);
        expected += length;
      }
    });

    test('[PEER3] to a slow reader all 10 MB arrive, in order', async () => {
      const size = 10 * 1024 * 1024;
      const agent = host.start(room.node(`process.stdout.write(Buffer.alloc(${size}, 120))`));
      let received = 0;
      let chunks = 0;
      const ended = new Promise<void>((resolve) => {
        agent.readOutput({
          chunk(chunk, offset) {
            expect(offset).toBe(received);
            received += chunk.length;
            chunks += 1;
            if (chunks % 10 === 1) {
              agent.pauseOutput();
              setTimeout(() => agent.resumeOutput(), 1);
            }
            if (chunks === 1) agent.pauseOutput();
          },
          end: resolve,
        });
      });
      await ended;
      expect(received).toBe(size);
    });

    test('[MULTI4] output stays held back after the process has gone, until it is wanted', async () => {
      const agent = host.start(room.shell('echo one; echo two'));
      const early = host.start(room.shell('echo early'));
      let text = '';
      const ended = new Promise<void>((resolve) => {
        agent.readOutput({
          chunk: (chunk) => {
            text += chunk;
          },
          end: resolve,
        });
      });
      agent.pauseOutput();
      await agent.exited;
      await early.exited;
      await agent.end();
      expect(text).toBe('');
      agent.resumeOutput();
      await ended;
      expect(text).toBe('one\ntwo\n');
      expect(await textOf(early)).toBe('early\n');
    });

    test('[PEER3] writing to a process that does not read or is gone is a value, never a crash', async () => {
      const agent = host.start(room.shell('exec 0<&-; echo closed; exec sleep 600'));
      await new Promise<void>((resolve) => {
        agent.readOutput({ chunk: () => resolve(), end() {} });
      });
      expect(await agent.write('x'.repeat(1_000_000))).toMatchObject({ ok: false, code: 'EPIPE' });
      expect(await agent.write('more')).toMatchObject({ ok: false });
      await agent.end();
      expect(await agent.write('after the end')).toMatchObject({ ok: false });
    });

    test('[PEER3] a write that waits on a full pipe is settled when the process is ended', async () => {
      const agent = host.start(room.shell('exec sleep 600'));
      const write = agent.write(Buffer.alloc(4 * 1024 * 1024));
      await agent.end();
      expect(await write).toMatchObject({ ok: false });
    });

    test('[ASK5] of several writes with the same id the first reaches the process, and all settle as it did', async () => {
      const agent = host.start(room.spec('cat', []));
      const output = textOf(agent);
      const twice = [agent.write('one\n', 'a'), agent.write('one again\n', 'a')];
      expect(await Promise.all(twice)).toEqual([{ ok: true }, { ok: true }]);
      expect(await agent.write('two\n', 'b')).toEqual({ ok: true });
      expect(await agent.write('one, later\n', 'a')).toEqual({ ok: true });
      expect(await agent.write('three\n')).toEqual({ ok: true });
      expect(await agent.write('three\n')).toEqual({ ok: true });
      agent.closeInput();
      expect(await output).toBe('one\ntwo\nthree\nthree\n');
    });

    test('[SES7] a program that cannot be started is a value that says why', async () => {
      writeFileSync(join(room.dir, 'plain.txt'), 'no program');
      chmodSync(join(room.dir, 'plain.txt'), 0o644);
      const codeOf = async (spec: ProcessSpec) => {
        const agent = host.start(spec);
        const exit = await agent.exited;
        expect(await agent.write('x')).toMatchObject({ ok: false });
        expect(await textOf(agent)).toBe('');
        await agent.end();
        return exit.kind === 'spawn-failed' ? exit.code : exit.kind;
      };
      expect(await codeOf(room.spec('/no/such/program', []))).toBe('not-found');
      expect(await codeOf(room.spec(join(room.dir, 'plain.txt'), []))).toBe('not-executable');
      expect(await codeOf({ ...room.shell('true'), cwd: join(room.dir, 'gone') })).toBe('cwd-missing');
      expect(await codeOf(room.spec('sh', ['-c', 'bad\0argument']))).toBe('failed');
      await host.close();
      expect(await codeOf(room.shell('true'))).toBe('host-closed');
    });

    test('[STORE3] every byte in and out is passed on as it is, with its session', async () => {
      const { host: listening, raw } = open({ dataDir: join(room.dir, 'listened-to') });
      const agent = listening.start(room.shell(`printf 'no newline\\377'; echo oops >&2; cat > /dev/null`));
      const output = textOf(agent);
      await agent.write('a line\n');
      agent.closeInput();
      await output;
      await agent.end();
      await listening.close();
      expect(await raw(SessionId.parse('s1'))).toEqual({
        in: 'a line\n',
        out: 'no newline\xff',
        err: 'oops\n',
      });
    });

    test('the last lines of stderr are kept, bounded', async () => {
      const agent = host.start(
        room.node(
          `for (let i = 1; i <= 500; i++) console.error('line ' + i); console.error('y'.repeat(100000)); process.stderr.write('no newline')`,
        ),
      );
      await eventually('the last line', () => agent.stderrTail().at(-1) === 'no newline');
      const tail = agent.stderrTail();
      expect(tail).toHaveLength(50);
      expect(tail[0]).toBe('line 453');
      expect(tail.at(-2)).toMatch(/^y{256}… \(100000 bytes\)$/);
    });

    test('[SES6] end reaches descendants in sessions of their own, orphans too', async () => {
      const agent = host.start(
        room.shell(
          `${orphan('orphan')}; setsid sh -c 'echo $$ > child; sleep 600 & echo $! > grandchild; wait' & wait`,
        ),
      );
      await eventually('its own process is known', () => agent.pid !== undefined);
      const pids = [
        await room.pidIn('orphan'),
        await room.pidIn('child'),
        await room.pidIn('grandchild'),
        agent.pid ?? 0,
      ];
      expect(pids.map(isRunning)).toEqual([true, true, true, true]);
      await agent.end();
      expect(pids.map(isRunning)).toEqual([false, false, false, false]);
      expect(await agent.exited).toMatchObject({ signal: 'SIGTERM' });
    });

    test('[SES6] a tree that hid its environment is found by its parents', async () => {
      const agent = host.start(
        room.shell(`env -i PATH="$PATH" setsid sh -c 'echo $$ > bare; exec sleep 600' & wait`),
      );
      const bare = await room.pidIn('bare');
      await agent.end();
      expect(isRunning(bare)).toBe(false);
    });

    test('[SES6] what ignores SIGTERM is killed after the grace, also when that is shortened', async () => {
      const agent = host.start(
        room.shell(
          `trap '' TERM; echo $$ > root; setsid sh -c 'trap "" TERM; echo $$ > child; while :; do sleep 1; done' & while :; do sleep 1; done`,
        ),
      );
      const child = await room.pidIn('child');
      await room.pidIn('root');
      const patient = agent.end({ graceMs: 60_000 });
      await agent.end({ graceMs: 50 });
      await patient;
      expect(await agent.exited).toMatchObject({ signal: 'SIGKILL' });
      expect(isRunning(child)).toBe(false);
    });

    test('[SES6] a program gets the chance to end by itself', async () => {
      const agent = host.start(
        room.shell(`trap 'echo bye > bye; exit 3' TERM; echo $$ > root; while :; do sleep 0.05; done`),
      );
      await room.pidIn('root');
      await agent.end();
      expect(readFileSync(join(room.dir, 'bye'), 'utf8')).toBe('bye\n');
      expect(await agent.exited).toEqual({ kind: 'exited', code: 3, signal: null });
    });

    test('[SES7] a crash leaves no descendant, and the output ends although one held the pipe', async () => {
      const agent = host.start(
        room.shell(
          `${orphan('orphan')}; echo last words; while [ ! -s orphan ]; do sleep 0.01; done; kill -9 $$`,
        ),
      );
      const orphanPid = await room.pidIn('orphan');
      expect(await textOf(agent)).toBe('last words\n');
      expect(await agent.exited).toEqual({ kind: 'exited', code: null, signal: 'SIGKILL' });
      await eventually('the orphan is gone', () => !isRunning(orphanPid));
    });

    test('[SES7] a stranger that took over the pipe does not keep the output open', async () => {
      const agent = host.start(
        room.shell(
          `env -i PATH="$PATH" setsid sh -c 'echo $$ > bare; exec sleep 600' & while [ ! -s bare ]; do sleep 0.01; done; echo done; exit 0`,
        ),
      );
      const bare = await room.pidIn('bare');
      expect(await textOf(agent)).toBe('done\n');
      expect(isRunning(bare)).toBe(true);
    });
  });
}

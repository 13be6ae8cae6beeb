import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import {
  type AttachOrder,
  isPassing,
  type Order,
  type Run,
  type Runner,
  type StartOrder,
} from '../../src/engine/ports/runner.ts';
import { accept } from '../../src/protocol/errors.ts';
import { SessionId } from '../../src/protocol/ids.ts';
import type { Ask, Decision } from '../../src/protocol/interaction.ts';
import { accepted, personsGit } from '../runner/workspace/repositories.ts';
import type { ArgvEditor } from '../support/argv-editor.ts';
import { eventually } from '../support/eventually.ts';
import { seededRandom, testSeed } from '../support/seeded-random.ts';
import type { Scenario } from './agent-driver-contract.ts';
import { allow, answer, message, RunRecorder, SmallRoom } from './small-room.ts';

export interface RunnerUnderTest {
  /** A runner on the same machine as the one before, whose server is gone. */
  open(): Runner;
  /** The name of an agent that plays the scenario. */
  readonly agent: string;
  readonly scenario: Pick<Scenario, 'reply' | 'command' | 'endless'>;
  /** Empty, for directories to work in. */
  readonly dir: string;
  /** What its configuration opens files with. */
  readonly editor: ArgvEditor;
  close(): Promise<void>;
}

export interface RunnerAbilities {
  /** Why its agents end with the server, where they do. */
  readonly noneOutlives?: string;
}

const deny: Decision = { type: 'deny', message: 'no', interrupt: false };

/** What a machine that runs agents does, wherever it is. */
export function runnerContract(
  name: string,
  make: () => Promise<RunnerUnderTest>,
  { noneOutlives }: RunnerAbilities = {},
): void {
  describe(name, () => {
    let under: RunnerUnderTest | undefined;
    let runner: Runner | undefined;

    afterEach(async () => {
      await runner?.close();
      await under?.close();
      under = undefined;
      runner = undefined;
    });

    async function machine() {
      under ??= await make();
      runner ??= under.open();
      const cwd = realpathSync(under.dir);
      return { ...under, runner, cwd };
    }

    async function begin(settings: Partial<StartOrder> = {}) {
      const place = await machine();
      const order = { ...orderIn(place), ...settings };
      const facts = new RunRecorder(order.runId);
      const run = place.runner.start(order, facts.take);
      return { ...place, order, facts, run };
    }

    async function ready(settings: Partial<StartOrder> = {}) {
      const begun = await begin(settings);
      await begun.facts.of('ready');
      return begun;
    }

    test('[PEER2] agents are found by name, with what they can do', async () => {
      const { runner, agent } = await machine();
      const known = await runner.agents();
      expect(known.find(({ name }) => name === agent)).toMatchObject({ available: true });
      expect(await runner.agent(agent)).toMatchObject({ name: agent, available: true });
      expect(await runner.agent('nobody')).toBeUndefined();
    });

    test('[CHG15] files are recorded and put back, once for each order, also by the next server', async () => {
      const { runner: first, cwd, open } = await machine();
      personsGit(cwd, ['init', '-q']);
      const file = join(cwd, 'a');
      const place = { cwd, realCwd: null, roots: [] };
      const recorded = async (content: string): Promise<string> => {
        writeFileSync(file, content);
        return accepted(await first.workspace('record', { place })).recording;
      };
      const [before, after] = [await recorded('first\n'), await recorded('agent\n')];
      expect(accepted(await first.workspace('changes', { place, before, after }))).toMatchObject({
        files: [{ path: 'a', kind: 'modified', added: 1, removed: 1 }],
        root: cwd,
      });
      const order = { place, orderId: randomUUID(), before, after };
      const [one, other] = await Promise.all([
        first.workspace('undo', order),
        first.workspace('undo', order),
      ]);
      expect(accepted(one)).toMatchObject({ done: true, paths: ['a'] });
      expect(other).toEqual(one);
      expect(readFileSync(file, 'utf8')).toBe('first\n');
      await first.detach();
      writeFileSync(file, 'agent\n');
      runner = open();
      expect(await runner.workspace('undo', order)).toEqual(one);
      expect(readFileSync(file, 'utf8')).toBe('agent\n');
      const none = await runner.workspace('record', { place: { ...place, cwd: dirname(cwd) } });
      expect(none).toMatchObject({ ok: false, refusal: { code: 'no_repository' } });
    });

    test('[CHG61] [CHG63] a file and what changed in it are opened in its own editor, once for each order', async () => {
      const { runner: here, cwd, editor } = await machine();
      personsGit(cwd, ['init', '-q']);
      const place = { cwd, realCwd: null, roots: [] };
      const [file, path] = ['-a $(b)\n"c"', join(cwd, '-a $(b)\n"c"')];
      expect(await here.workspace('editor', {})).toEqual({
        ok: true,
        value: {
          command: [editor.program, '{file}', '{line}'],
          diff: [editor.program, '{before}', '{after}'],
        },
      });
      writeFileSync(path, 'first\n');
      const before = accepted(await here.workspace('record', { place })).recording;
      writeFileSync(path, 'second\n');
      const order = { place, orderId: randomUUID(), file, line: 2, since: [] };
      const both = await Promise.all([here.workspace('open', order), here.workspace('open', order)]);
      expect(both).toEqual([accept(null), accept(null)]);
      expect((await editor.started()).args).toEqual([path, '2']);
      expect(editor.count()).toBe(1);
      const asDiff = { ...order, orderId: randomUUID(), diff: { before, after: 'now' } };
      expect(await here.workspace('open', asDiff)).toEqual(accept(null));
      const { args, cwd: startedIn } = await editor.started();
      expect(startedIn).toBe(cwd);
      expect(args[1]).toBe(path);
      expect(readFileSync(args[0] ?? '', 'utf8')).toBe('first\n');
      const outside = { ...order, orderId: randomUUID(), file: '/etc/passwd' };
      expect(await here.workspace('open', outside)).toMatchObject({
        ok: false,
        refusal: { code: 'file_not_allowed' },
      });
      expect(editor.count()).toBe(2);
    });

    test('[SES19] facts are numbered from the first, without a gap; fragments are not', async () => {
      const { run, facts, scenario } = await ready();
      expect(await run.give(message(scenario.reply))).toEqual({ ok: true });
      await facts.of('turn-ended');
      expect(facts.every('delta').length).toBeGreaterThan(0);
      expect(facts.last).toBe(facts.all.filter((fact) => !isPassing(fact)).length);
      expect(facts.checkpoints.length > 0).toBe(noneOutlives === undefined);
    });

    test('[SES19] [MSG5] a message that is given twice is taken once', async () => {
      const { run, facts, scenario } = await ready();
      const order = message(scenario.reply);
      expect(await Promise.all([run.give(order), run.give(order)])).toEqual([{ ok: true }, { ok: true }]);
      await facts.of('turn-ended');
      expect(await run.give(order)).toEqual({ ok: true });
      const next = message(scenario.reply);
      const from = facts.all.length;
      await run.give(next);
      await facts.of('turn-ended', from);
      expect(facts.every('message-taken').map(({ messageId }) => messageId)).toEqual([order.id, next.id]);
      expect(facts.every('turn-started')).toHaveLength(2);
    });

    test('[SES19] [ASK5] of two answers under one id the first is given, and both are told what became of it', async () => {
      const { run, facts, scenario, cwd } = await ready();
      await run.give(message(scenario.command));
      const { ask } = await facts.of('asked');
      const outcomes = await Promise.all([run.give(answer(ask, allow)), run.give(answer(ask, deny))]);
      expect(outcomes).toEqual([{ ok: true }, { ok: true }]);
      expect(await facts.of('turn-ended')).toMatchObject({ outcome: 'completed' });
      expect(existsSync(join(cwd, 'asked.txt'))).toBe(true);
    });

    test('[ASK5] an answer to an agent that is gone certainly did not reach it', async () => {
      const { run, facts, scenario, order } = await ready();
      await run.give(message(scenario.command));
      const { ask } = await facts.of('asked');
      expect(await run.give({ kind: 'end', id: order.runId })).toEqual({ ok: true });
      const outcome = await run.give(answer(ask, allow));
      expect(outcome).toMatchObject({ ok: false });
      expect(outcome).not.toHaveProperty('uncertain');
    });

    test('[ASK5] what became of an answer is told before the exit of its agent', async () => {
      const { run, facts, scenario, order } = await ready();
      await run.give(message(scenario.command));
      const { ask } = await facts.of('asked');
      const exitsBefore = run.give(answer(ask, allow)).then(() => facts.every('exited').length);
      void run.give({ kind: 'end', id: order.runId });
      expect(await exitsBefore).toBe(0);
      await facts.of('exited');
    });

    test('[SES5] [SES19] an interrupt ends the turn, once, however often it is given', async () => {
      const { run, facts, scenario } = await ready();
      await run.give(message(scenario.endless));
      await facts.of('delta');
      const interrupt: Order = { kind: 'interrupt', id: 'turn_1' };
      expect(await Promise.all([run.give(interrupt), run.give(interrupt)])).toEqual([
        { ok: true },
        { ok: true },
      ]);
      expect(await facts.of('turn-ended')).toMatchObject({ outcome: 'interrupted' });
      const from = facts.all.length;
      await run.give(message(scenario.reply));
      await run.give(interrupt);
      expect(await facts.of('turn-ended', from)).toMatchObject({ outcome: 'completed' });
    });

    test('[SES13] a mode is changed on the agent’s word, or refused in words', async () => {
      const { run, facts } = await ready();
      expect(await run.give({ kind: 'mode', id: 'ord_1', mode: 'acceptEdits' })).toEqual({ ok: true });
      expect(facts.every('mode-changed').at(-1)).toMatchObject({ permissionMode: 'acceptEdits' });
      const refused = await run.give({ kind: 'mode', id: 'ord_2', mode: 'nonsense' });
      expect(refused).toMatchObject({ ok: false, code: 'refused' });
    });

    test('[SES6] an end is told after the exit, and everything that waits is settled', async () => {
      const { run, facts, scenario, order } = await ready();
      await run.give(message(scenario.endless));
      await facts.of('delta');
      const exits = run.give({ kind: 'end', id: order.runId }).then(() => facts.every('exited').length);
      expect(await exits).toBe(1);
      expect(await run.give({ kind: 'end', id: order.runId })).toEqual({ ok: true });
      expect(await run.give(message('anyone?'))).toMatchObject({ ok: false });
      expect(facts.all.at(-1)?.type).toBe('exited');
    });

    test('[SES15] an agent that is held tells nothing, and everything once it is released', async () => {
      const held = await ready();
      const other = await ready();
      held.run.hold();
      await held.run.give(message(held.scenario.reply));
      const before = held.facts.all.length;
      await other.run.give(message(other.scenario.reply));
      await other.facts.of('turn-ended');
      expect(held.facts.all.slice(before)).toEqual([]);
      held.run.release();
      expect(await held.facts.of('turn-ended')).toMatchObject({ outcome: 'completed' });
    });

    test.skipIf(noneOutlives !== undefined)(
      '[SES19] whoever attaches again is told once more what is not stored, and goes on',
      async () => {
        const { runner, run, facts, scenario, order, cwd } = await ready();
        await run.give(message(scenario.command));
        const { ask } = await facts.of('asked');
        const checkpoint = facts.checkpoints[0];
        if (checkpoint) run.stored(checkpoint);
        const heard = facts.all.length;
        const second = new RunRecorder(order.runId, checkpoint?.number);
        const openAsks = [ask.agentRequestId];
        const again = runner.attach(
          { ...order, checkpoint, last: checkpoint?.number ?? 0, ready: true, openAsks, inFlight: [] },
          second.take,
        );
        expect((await second.of('asked')).ask).toEqual(ask);
        await second.of('caught-up');
        expect(await again.give(answer(ask, allow))).toEqual({ ok: true });
        expect(await second.of('turn-ended')).toMatchObject({ outcome: 'completed' });
        expect(existsSync(join(cwd, 'asked.txt'))).toBe(true);
        expect(facts.all).toHaveLength(heard);
      },
    );

    test('[SES7] an agent that cannot be started is told as its exit, and takes no orders', async () => {
      const { run, facts } = await begin({ agent: 'nobody' });
      expect(await facts.of('exited')).toMatchObject({ startError: expect.stringMatching(/nobody/) });
      expect(await run.give(message('hello'))).toMatchObject({ ok: false });
      expect(await run.give(answer(anyAsk, allow))).toMatchObject({ ok: false });
      run.hold();
      run.release();
    });

    test('[SEC4] a directory that is missing, or not allowed, is refused, and no agent starts in it', async () => {
      const { runner, cwd } = await machine();
      const [root, outside] = [join(cwd, 'root'), join(cwd, 'outside')];
      for (const directory of [root, outside, join(root, 'work')]) mkdirSync(directory);
      symlinkSync(outside, join(root, 'link'));
      const check = (path: string) =>
        runner.checkDirectory({ cwd: join(cwd, path), realCwd: null, roots: [root] });
      expect(await check('root/work')).toEqual({
        ok: true,
        value: { path: join(root, 'work'), real: join(root, 'work'), name: 'work' },
      });
      for (const [path, code] of [
        ['root/none', 'directory_not_found'],
        ['outside', 'directory_not_allowed'],
        ['root/link', 'directory_not_allowed'],
      ] as const) {
        expect(await check(path)).toMatchObject({ ok: false, refusal: { code } });
        const { facts } = await begin({ cwd: join(cwd, path), roots: [root] });
        expect((await facts.of('exited')).startError).toContain(path);
        expect(facts.types()).toEqual(['exited']);
      }
    });

    test('[SEC4] a link that was turned between the check and the start is not followed', async () => {
      const { runner, cwd } = await machine();
      for (const directory of ['first', 'second']) mkdirSync(join(cwd, directory));
      const link = join(cwd, 'link');
      symlinkSync(join(cwd, 'first'), link);
      const checked = await runner.checkDirectory({ cwd: link, realCwd: null, roots: [cwd] });
      const realCwd = checked.ok ? checked.value.real : '';
      expect(realCwd).toBe(join(cwd, 'first'));
      rmSync(link);
      symlinkSync(join(cwd, 'second'), link);
      const { facts } = await begin({ cwd: link, realCwd, roots: [cwd] });
      expect((await facts.of('exited')).startError).toContain('second');
    });

    test('[UI23] [UI24] directories are completed and files found, within the roots alone', async () => {
      const { runner, cwd } = await machine();
      mkdirSync(join(cwd, 'src'));
      writeFileSync(join(cwd, 'src', 'a.ts'), '');
      expect(await runner.completeDirectory({ typed: `${cwd}/s`, cwd, roots: [cwd] })).toMatchObject({
        ok: true,
        value: { directories: [{ path: join(cwd, 'src'), isRepository: false }], isAll: true },
      });
      const search = { cwd, realCwd: cwd, roots: [cwd], typed: 'a.t', most: 10 };
      expect(await runner.findFiles(search)).toMatchObject({ ok: true, value: { files: ['src/a.ts'] } });
      const code = 'directory_not_allowed';
      const outside = { typed: '/', cwd, roots: [join(cwd, 'src')] };
      expect(await runner.completeDirectory({ ...outside, typed: '/usr/' })).toMatchObject({
        refusal: { code },
      });
      expect(await runner.findFiles({ ...search, ...outside })).toMatchObject({ refusal: { code } });
    });

    test('[GRANT2] files are listed below the session’s own directory alone, sensitive ones apart', async () => {
      const { runner, cwd } = await machine();
      mkdirSync(join(cwd, 'src'));
      writeFileSync(join(cwd, 'src', 'a.ts'), '');
      writeFileSync(join(cwd, 'src', '.env'), '');
      const query = { directory: join(cwd, 'src'), cwd, readOnly: false };
      const found = await runner.filesBelow(query);
      expect(found?.paths.toSorted()).toEqual([join(cwd, 'src', '.env'), join(cwd, 'src', 'a.ts')]);
      expect(found).toMatchObject({ sensitive: [join(cwd, 'src', '.env')], isAll: true });
      expect(await runner.filesBelow({ ...query, directory: '/' })).toBeUndefined();
    });

    test('[STORE3] what went over the wire can be read, and is removed when that is wanted', async () => {
      const { runner, run, facts, scenario, order } = await ready();
      const end: Order = { kind: 'end', id: order.runId };
      await run.give(message(scenario.reply));
      await facts.of('turn-ended');
      const raw = () => text(runner.rawLog.read(order.sessionId));
      await eventually('it is in the raw log', async () => (await raw()).includes(scenario.reply));
      await run.give(end);
      const checkpoint = facts.checkpoints.at(-1);
      if (checkpoint) run.stored(checkpoint);
      // Given again, it comes behind what is stored.
      await run.give(end);
      await runner.rawLog.remove(order.sessionId);
      expect(await raw()).toBe('');
    });

    test('[SES7] to attach to a run that is not there tells its exit', async () => {
      const { runner, order } = await begin({ agent: 'nobody' });
      const runId = 'run_of_nobody';
      const facts = new RunRecorder(runId);
      const gone: AttachOrder = { ...order, runId, ...nothingKnown };
      const run = runner.attach(gone, facts.take);
      expect(await facts.of('exited')).toMatchObject({ hostLost: expect.any(String) });
      expect(await run.give(answer(anyAsk, allow))).toMatchObject({ ok: false });
    });

    describe('of agents that outlive their server', () => {
      const outliving = test.skipIf(noneOutlives !== undefined);

      async function leave(run?: Run) {
        run?.detach?.();
        await runner?.detach();
        runner = undefined;
        const next = await machine();
        return { runner: next.runner, left: await next.runner.left() };
      }

      outliving('[SES10] those that are left are listed, and one that nobody claims is ended', async () => {
        const { run, order, facts } = await ready();
        const { runId, sessionId } = order;
        const next = await leave(run);
        expect(next.left).toEqual([{ runId, sessionId, isRunning: true }]);
        await next.runner.end(runId);
        expect(await next.runner.left()).toEqual([]);
        expect(facts.every('exited')).toEqual([]);
        expect((await leave(run)).left).toEqual([]);
      });

      outliving('[SES19] [ASK5] an answer that the server before has given is not given again', async () => {
        const { run, facts, scenario, order } = await ready();
        await run.give(message(scenario.command));
        const { ask } = await facts.of('asked');
        const checkpoint = facts.checkpoints.at(-1);
        expect(await run.give(answer(ask, allow))).toEqual({ ok: true });
        const next = await leave(run);
        const second = new RunRecorder(order.runId, checkpoint?.number);
        const openAsks = [ask.agentRequestId];
        const again = next.runner.attach(
          { ...order, checkpoint, last: checkpoint?.number ?? 0, ready: true, openAsks, inFlight: [] },
          second.take,
        );
        await second.of('caught-up');
        expect(await again.give(answer(ask, deny))).toEqual({ ok: true });
        expect(await second.of('turn-ended')).toMatchObject({ outcome: 'completed' });
        expect(second.said('tool.result')).toMatchObject([{ isError: false }]);
        expect(second.every('diagnostic')).toEqual([]);
      });

      outliving('[SES10] a start that the server before has made is not made again', async () => {
        const { run, facts, order, scenario } = await ready();
        const next = await leave(run);
        const second = new RunRecorder(order.runId);
        const again = next.runner.start(order, second.take);
        expect(await second.of('ready')).toEqual(await facts.of('ready'));
        await again.give(message(scenario.reply));
        expect(await second.of('turn-ended')).toMatchObject({ outcome: 'completed' });
        expect((await leave(again)).left).toMatchObject([{ runId: order.runId, isRunning: true }]);
      });

      const seed = testSeed();
      const serveToTheEnd = async (dies: () => boolean, round: string): Promise<void> => {
        const place = await machine();
        const work = join(place.cwd, round);
        mkdirSync(work);
        const order = { ...orderIn(place), cwd: work };
        const { reply, command } = place.scenario;
        const room = new SmallRoom(order, [reply, command, reply], dies);
        let isLeft = false;
        while ((await room.serve(await machine().then((now) => now.runner), isLeft)) === 'killed') {
          const { left } = await leave();
          isLeft = left.some(({ runId }) => runId === order.runId);
        }
        expect({ seed, round, ...room.record() }).toEqual({
          seed,
          round,
          taken: room.messages,
          turns: ['completed', 'completed', 'completed'],
          asks: 1,
          results: [false],
        });
        expect(existsSync(join(work, 'asked.txt'))).toBe(true);
      };

      outliving(`[SES10] [SES19] from any checkpoint the rest is told, once (seed ${seed})`, async () => {
        const random = seededRandom(seed);
        for (let round = 0; round < 2; round += 1)
          await serveToTheEnd(() => random() < 0.12, `round-${round}`);
      });

      outliving('[SES10] that it is ready is told until it is stored, however the servers die', async () => {
        // The first before it stores what it is told first, the second right after.
        const deaths = [true, false, false, true];
        await serveToTheEnd(() => deaths.shift() ?? false, 'ready');
      });
    });
  });
}

const orderIn = ({ agent, cwd }: Pick<StartOrder, 'agent' | 'cwd'>): StartOrder => ({
  runId: `run_${randomUUID().replaceAll('-', '')}`,
  sessionId: SessionId.parse(randomUUID()),
  agent,
  cwd,
  realCwd: null,
  roots: [],
  env: {},
  permissionMode: null,
  model: null,
  resume: null,
  tools: null,
});

const nothingKnown = { checkpoint: undefined, last: 0, ready: false, openAsks: [], inFlight: [] } as const;

const anyAsk: Ask = {
  kind: 'approval',
  agentRequestId: 'r1',
  toolName: 'Bash',
  title: 'Bash: ls',
  input: { command: 'ls' },
  subject: { kind: 'command', value: 'ls' },
};

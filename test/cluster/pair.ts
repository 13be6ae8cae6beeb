import type { RoomMessage, RunnerMessage } from '../../src/cluster/message.ts';
import { RoomSide } from '../../src/cluster/room-side.ts';
import { RunnerSide, type RunnerSideOptions } from '../../src/cluster/runner-side.ts';
import type { LeftRun, RunAbout, Runner, StartOrder } from '../../src/engine/ports/runner.ts';
import { SessionId } from '../../src/protocol/ids.ts';
import type { MachineLoad } from '../../src/protocol/machine.ts';
import type { KeptProcess } from '../../src/runner/ports/process-host.ts';
import { runnerOf } from '../support/runner-of.ts';
import { ScriptedDriver } from '../support/scripted-driver.ts';

export const startOrder: StartOrder = {
  runId: 'run1',
  sessionId: SessionId.parse('s1'),
  agent: 'demo',
  cwd: '/',
  realCwd: null,
  roots: [],
  env: { SECRET: 'hush' },
  permissionMode: null,
  model: null,
  resume: null,
  tools: null,
};

/** A room and a runner whose messages are passed on by hand. */
export function pair(driver = new ScriptedDriver()) {
  const fromRunner: RunnerMessage[] = [];
  const fromRoom: RoomMessage[] = [];
  const refused: string[] = [];
  const states: string[] = [];
  const odd: string[] = [];
  const loads: MachineLoad[] = [];
  const notes = new Map<string, RunAbout>();
  const tools = new Map<string, NonNullable<RunnerSideOptions['tools']>>();
  const runner = (
    id: string,
    earlier: readonly string[] = [],
    below: Runner = runnerOf([driver]),
    left: readonly LeftRun[] = [],
  ) =>
    new RunnerSide({
      runner: below,
      id,
      earlier,
      left,
      version: '1.2.3',
      load: () => ({ processors: 0.5, memoryFree: 1, memoryTotal: 2 }),
      inAMoment: (work) => work(),
      send: (message) => fromRunner.push(message),
      unseal: (sealed) => JSON.parse(Buffer.from(sealed, 'base64').toString()),
      onRefused: (reason, again) => refused.push(`${id}: ${reason}${again ? ' again' : ''}`),
      onOdd: (what) => odd.push(what),
      tools: tools.get(id),
      notes: {
        of: (runId) => notes.get(runId),
        set: (runId, about) => notes.set(runId, about),
        remove: (runId) => notes.delete(runId),
      },
    });
  /** The next start of runner `a`, which finds this of its agent. */
  const nextRunner = async (kept: Partial<KeptProcess> = {}): Promise<RunnerSide> => {
    const { runId: id, sessionId } = startOrder;
    const below = runnerOf([driver], {
      kept: [{ id, sessionId, running: true, outputEnd: 200, ...kept }],
    });
    return runner('b', ['a'], below, await below.left());
  };
  const newRoom = (id: string): RoomSide =>
    new RoomSide({
      name: 'far',
      id,
      inAMoment: (work) => work(),
      send: (message) => fromRoom.push(message),
      seal: (secrets) => Buffer.from(JSON.stringify(secrets)).toString('base64'),
      onState: (state) => states.push(state.is),
      onLoad: (load) => loads.push(load),
      onOdd: (what) => odd.push(what),
    });
  let room = newRoom('room1');
  const carry = async (...runners: readonly RunnerSide[]): Promise<void> => {
    while (fromRunner.length > 0 || fromRoom.length > 0) {
      for (const message of fromRunner.splice(0)) room.heard(JSON.parse(JSON.stringify(message)));
      for (const message of fromRoom.splice(0))
        for (const runner of runners) runner.heard(JSON.parse(JSON.stringify(message)));
      await Promise.resolve();
    }
  };
  const meet = async (...runners: readonly RunnerSide[]): Promise<void> => {
    for (const runner of runners) {
      runner.tick();
      await carry(...runners);
    }
  };
  return {
    driver,
    runner,
    nextRunner,
    get room() {
      return room;
    },
    /** Another start of the room takes its place. */
    restartRoom(id: string): RoomSide {
      room = newRoom(id);
      return room;
    },
    /** What the runner of this name offers to its agents. */
    tools,
    loads,
    notes,
    carry,
    meet,
    fromRunner,
    fromRoom,
    refused,
    states,
    odd,
  };
}

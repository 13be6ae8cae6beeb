import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { RoomFile, RunnerFile } from '../src/cluster/cluster.ts';
import { reachMachine, serveRoom } from '../src/cluster/ends.ts';
import { connectCarrier } from '../src/cluster/nats/carrier.ts';
import type { Report, Runner, StartOrder } from '../src/engine/ports/runner.ts';
import type { AgentFact } from '../src/model/agent-fact.ts';
import { SessionId } from '../src/protocol/ids.ts';
import { startNats } from './hosts/cluster.ts';
import { within } from './running.ts';

const together = 8;

/** How many facts a second come over the link, from a runner that reports without end to a room that stores nothing. */
export async function factsPerSecond(count: number): Promise<number> {
  const { roomFile, fileOf } = await startNats(['far']);
  const room = RoomFile.parse(JSON.parse(readFileSync(roomFile, 'utf8')));
  const runner = RunnerFile.parse(JSON.parse(readFileSync(fileOf('far'), 'utf8')));
  const onTrouble = (reason: string | undefined): void =>
    console.error(reason ?? 'NATS takes everything again');
  const near = await connectCarrier({ ...room, who: 'room', onTrouble });
  const far = await connectCarrier({ ...runner, who: 'far', onTrouble });
  const serving = serveRoom(far, {
    name: 'far',
    runner: tirelessRunner(count) as Runner,
    earlier: [],
    left: [],
    id: randomUUID(),
    version: 'bench',
    unseal: (sealed) => JSON.parse(sealed),
    onRefused: console.error,
    onOdd: console.error,
  });
  const machine = reachMachine(Promise.resolve(near), {
    name: 'far',
    seal: JSON.stringify,
    onState: () => {},
    onOdd: console.error,
  });
  await machine.left();
  const done = Promise.withResolvers<void>();
  const begun = performance.now();
  let last = 0;
  const run = machine.start(order, ({ first, facts, mark }) => {
    last = first - 1 + facts.length;
    if (mark) run.stored({ number: last, mark });
    if (last === count) done.resolve();
  });
  await within(120_000, done.promise, 'all facts to come');
  const seconds = (performance.now() - begun) / 1_000;
  await machine.detach();
  await serving.stop();
  for (const carrier of [near, far]) await carrier.close();
  return count / seconds;
}

/** Reports as fast as it is let. */
function tirelessRunner(count: number): Pick<Runner, 'left' | 'start'> {
  return {
    left: async () => [],
    start({ runId }: StartOrder, report: Report) {
      let said = 0;
      let isHeld = false;
      const work = (): void => {
        for (let batch = 0; batch < 20 && said < count && !isHeld; batch += 1) {
          const facts = Array.from({ length: Math.min(together, count - said) }, (_, at) =>
            fact(said + at + 1),
          );
          const first = said + 1;
          said += facts.length;
          report({ runId, first, facts, mark: { processId: runId, offset: said, memory: null } });
        }
        if (said < count && !isHeld) setImmediate(work);
      };
      setImmediate(work);
      return {
        id: runId,
        give: async () => ({ ok: true }),
        hold: () => {
          isHeld = true;
        },
        release: () => {
          isHeld = false;
          setImmediate(work);
        },
        stored: () => {},
      };
    },
  };
}

const fact = (number: number): AgentFact => ({
  type: 'said',
  event: {
    type: 'agent.text',
    agentMessageId: `m${number}`,
    block: 0,
    text: `line ${number} of what an agent says`,
  },
});

const order: StartOrder = {
  runId: 'run1',
  sessionId: SessionId.parse('s1'),
  agent: 'bench',
  cwd: '/',
  realCwd: null,
  roots: [],
  env: {},
  permissionMode: null,
  model: null,
  resume: null,
  tools: null,
};

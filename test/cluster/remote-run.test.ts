import { describe, expect, test } from 'vitest';
import type { RoomItem } from '../../src/cluster/message.ts';
import { type Opening, RemoteRun } from '../../src/cluster/remote-run.ts';
import type { OrderOutcome, StartOrder } from '../../src/engine/ports/runner.ts';
import type { AgentFact } from '../../src/model/agent-fact.ts';
import { SessionId } from '../../src/protocol/ids.ts';

const order: StartOrder = {
  runId: 'run1',
  sessionId: SessionId.parse('s1'),
  agent: 'demo',
  cwd: '/',
  realCwd: null,
  roots: [],
  env: {},
  permissionMode: null,
  model: null,
  resume: null,
  tools: null,
};
const attach: Opening = {
  type: 'attach',
  order: { ...order, checkpoint: undefined, last: 0, ready: true, openAsks: [], inFlight: [] },
};
const interrupt = { kind: 'interrupt', id: 'i1' } as const;
const isNotThere: OrderOutcome = { ok: false, code: 'not-started', message: 'The agent is not there' };
const exited: AgentFact = { type: 'exited', code: 0, signal: null, stderr: [] };

/** A run whose orders are seen as they leave. */
function begun() {
  const said: RoomItem[] = [];
  const line = {
    connection: 'a.1' as string | undefined,
    canRepeat: true,
    say: (item: RoomItem) => said.push(item),
  };
  const run = new RemoteRun('run1', { type: 'start', order }, () => {}, line);
  const reconnect = (connection: string, isSameRunner: boolean): void => {
    line.connection = connection;
    run.reconnected(isSameRunner);
  };
  return { run, said, reconnect };
}

describe('what was told to a run when its runner was started anew', () => {
  test.each([
    ['is not told as failed for certain: it may have been done', false, true],
    ['is told as failed where the runner is the same and remembers', true, undefined],
  ])('[CLU1] %s', async (_, isSameRunner, uncertain) => {
    const { run, reconnect } = begun();
    const outcome = run.give(interrupt);
    run.told({ runId: 'run1', first: 1, facts: [exited] });
    reconnect('b.1', isSameRunner);
    run.goOn();
    run.outcome('1', isNotThere);
    expect(await outcome).toEqual({ ...isNotThere, ...(uncertain && { uncertain }) });
  });

  test('[CLU1] is told again only when all that was said before is known, and once', () => {
    const { run, said, reconnect } = begun();
    void run.give(interrupt);
    reconnect('b.1', false);
    run.open(attach, () => {});
    run.goOn();
    run.told({ runId: 'run1', first: 1, facts: [] });
    expect(said.map(({ type }) => type)).toEqual(['give']);
    for (let count = 0; count < 2; count += 1)
      run.told({ runId: 'run1', first: 1, facts: [{ type: 'caught-up' }] });
    expect(said.map(({ type }) => type)).toEqual(['give', 'give']);
  });
});

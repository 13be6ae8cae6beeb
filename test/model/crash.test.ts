import { describe, expect, it } from 'vitest';
import type { StoredFact } from '../../src/model/observe.ts';
import { wantsProcess } from '../../src/model/status.ts';
import { queueView, sessionView } from '../../src/model/views.ts';
import { allow, bashAsk, PlayedSession, person } from '../support/session-states.ts';

const exit = (
  code: number | null,
  more: Partial<Extract<StoredFact, { type: 'exited' }>> = {},
): StoredFact => ({
  type: 'exited',
  code,
  signal: null,
  stderr: ['the last words'],
  ...more,
});
const begin = (played: PlayedSession, processId: string): PlayedSession => {
  played.command({ type: 'start-process', processId });
  return played;
};

describe('[SES8] a crash', () => {
  it.each<[string, StoredFact]>([
    ['an exit code', exit(1)],
    ['a signal', exit(null, { signal: 'SIGSEGV' })],
    ['exit 0 in the middle of a turn', exit(0)],
  ])(
    'by %s: the turn is lost, and the agent is started again to go on with the same conversation',
    (_, fact) => {
      const played = new PlayedSession().up().working();
      played.fact(fact);
      expect(played.last('turn.ended')).toMatchObject({ outcome: 'lost' });
      expect(played.last('process.exited')).toMatchObject({ crashed: true, cause: 'by-itself' });
      expect(played.state).toMatchObject({ status: 'starting', wake: 'crash', turn: null });
      begin(played, 'run_2');
      expect(played.last('process.starting')).toMatchObject({ cause: 'crash', resume: 'agent-1' });
    },
  );

  it.each([
    [59_999, 'failed'],
    [60_000, 'starting'],
  ])('a second one %i ms after the first leaves the session %s', (milliseconds, status) => {
    const played = new PlayedSession().up().working();
    played.fact(exit(1));
    played.up('run_2').working();
    played.pass(milliseconds);
    played.fact(exit(1));
    expect(played.state.status).toBe(status);
    expect(wantsProcess(played.state)).toBe(status === 'starting');
  });

  it('a failed session says why, with the last lines of stderr', () => {
    const played = new PlayedSession().up().working();
    played.fact(exit(1));
    played.up('run_2').working('again');
    played.send('later');
    played.fact(exit(7));
    expect(sessionView(played.state)).toMatchObject({
      status: 'failed',
      failure: { reason: 'The agent ended by itself with exit code 7.', stderr: ['the last words'] },
    });
    expect(queueView(played.state).map((item) => item.message)).toEqual(['later']);
  });

  it('a program that cannot be started is not tried again', () => {
    const played = begin(new PlayedSession(), 'run_1');
    played.fact(exit(null, { startError: 'no such file' }));
    expect(played.last('process.exited').cause).toBe('not-started');
    expect(sessionView(played.state)).toMatchObject({
      status: 'failed',
      failure: { reason: 'The agent could not be started: no such file' },
    });
  });

  it('one that ends before it was ready has crashed, whatever its exit code: those who wait for it are not forgotten', () => {
    const played = new PlayedSession();
    played.send('hello');
    begin(played, 'run_1').fact(exit(0));
    expect(played.state).toMatchObject({ status: 'starting', wake: 'crash' });
    begin(played, 'run_2').fact(exit(0));
    expect(played.state.status).toBe('failed');
    expect(queueView(played.state)).toHaveLength(1);
  });

  it('an idle agent that ends well by itself sleeps', () => {
    const played = new PlayedSession().up();
    played.fact(exit(0));
    expect(played.state).toMatchObject({ status: 'asleep', wake: null });
    expect(played.last('process.exited').crashed).toBe(false);
  });

  it('an idle agent that dies is started again', () => {
    const played = new PlayedSession().up();
    played.fact(exit(null, { signal: 'SIGKILL' }));
    expect(played.state).toMatchObject({ status: 'starting', wake: 'crash' });
  });

  it('resume after a failure starts anew: the next crash is a first one again', () => {
    const played = new PlayedSession().up().working();
    played.fact(exit(1));
    played.up('run_2').working();
    played.fact(exit(1));
    expect(played.command({ type: 'reopen', by: person })).toBeUndefined();
    expect(played.state).toMatchObject({ status: 'starting', failure: null });
    played.up('run_3').working();
    played.fact(exit(1));
    expect(played.state.status).toBe('starting');
  });
});

describe('[ASK5] [SES7] exits and what was under way', () => {
  const withBoth = () => {
    const played = new PlayedSession().up().working();
    const open = played.asks(bashAsk('r1', 'ls'));
    const decided = played.asks(bashAsk('r2', 'pwd'));
    played.respond(decided, allow());
    return { played, open, decided };
  };

  it('a crash loses the open, and an answer that was on its way may have arrived', () => {
    const { played, open, decided } = withBoth();
    played.fact(exit(1));
    const ends = played.all('interaction.resolved');
    expect(ends).toMatchObject([
      { interactionId: open, outcome: 'lost', by: { kind: 'server' }, delivered: false },
      { interactionId: decided, outcome: 'unknown', by: person, delivered: false },
    ]);
    expect(ends[0]?.reason).toBe('The agent ended by itself with exit code 1.');
    expect(ends[1]?.reason).toMatch(/recorded and may have reached the agent/);
    expect(played.state.interactions.size).toBe(0);
  });

  it('what was delivered before is not lost', () => {
    const { played, decided } = withBoth();
    played.command({ type: 'delivered', interactionId: decided, ok: true });
    played.fact(exit(1));
    const ends = played.all('interaction.resolved').filter((event) => event.interactionId === decided);
    expect(ends).toMatchObject([{ outcome: 'allowed', delivered: true }]);
  });

  it('a late word about the delivery changes nothing', () => {
    const { played, decided } = withBoth();
    played.fact(exit(1));
    const { length } = played.log;
    played.command({ type: 'delivered', interactionId: decided, ok: true });
    played.command({ type: 'delivered', interactionId: decided, ok: false });
    expect(played.log).toHaveLength(length);
  });

  it('the server’s own end is named as the reason', () => {
    const { played, open } = withBoth();
    played.command({ type: 'close-process', cause: 'shutdown' });
    played.fact(exit(0));
    const end = played.all('interaction.resolved').find((event) => event.interactionId === open);
    expect(end).toMatchObject({
      outcome: 'lost',
      reason: 'The server was shut down, and the agent with it.',
    });
    expect(played.last('process.exited')).toMatchObject({ cause: 'asked', crashed: false });
    expect(played.state.status).toBe('asleep');
  });

  it('an interrupted turn whose agent dies was interrupted, not lost', () => {
    const played = new PlayedSession().up().working();
    played.command({ type: 'interrupt', by: person });
    played.fact(exit(1));
    expect(played.last('turn.ended').outcome).toBe('interrupted');
  });

  it('an agent asked to sleep that exits with an error has not crashed', () => {
    const played = new PlayedSession().up();
    played.command({ type: 'close-process', cause: 'sleep' });
    played.fact(exit(1));
    expect(played.state).toMatchObject({ status: 'asleep', wake: null, lastCrashAt: null });
  });
});

describe('[SES6] stop, from every status', () => {
  const statuses: Record<string, () => PlayedSession> = {
    'not yet started': () => new PlayedSession(),
    starting: () => begin(new PlayedSession(), 'run_1'),
    idle: () => new PlayedSession().up(),
    running: () => new PlayedSession().up().working(),
    waiting: () => {
      const played = new PlayedSession().up().working();
      played.asks(bashAsk('r1', 'ls'));
      return played;
    },
    'closing for sleep': () => {
      const played = new PlayedSession().up();
      played.command({ type: 'close-process', cause: 'sleep' });
      return played;
    },
    asleep: () => {
      const played = new PlayedSession().up();
      played.fact(exit(0));
      return played;
    },
    failed: () => {
      const played = begin(new PlayedSession(), 'run_1');
      played.fact(exit(null, { startError: 'x' }));
      return played;
    },
  };
  it.each(Object.entries(statuses))('%s', (_, make) => {
    const played = make();
    const hadProcess = played.state.process !== null;
    const hadTurn = played.state.turn !== null;
    expect(played.command({ type: 'stop', by: person })).toBeUndefined();
    expect(played.state).toMatchObject({
      status: 'stopped',
      life: 'stopped',
      turn: null,
      queue: [],
      interactions: {},
    });
    expect(played.all('process.closing').filter((event) => event.cause === 'stop')).toHaveLength(
      hadProcess ? 1 : 0,
    );
    if (hadTurn) expect(played.last('turn.ended').outcome).toBe('interrupted');
    if (hadProcess) played.fact(exit(null, { signal: 'SIGTERM' }));
    expect(played.state).toMatchObject({ status: 'stopped', process: null });
    expect(played.state.wake).toBeNull();
    expect(wantsProcess(played.state)).toBe(false);
    expect(begin(played, 'run_9').state.process).toBeNull();
    const { length } = played.log;
    played.command({ type: 'stop', by: person });
    expect(played.log).toHaveLength(length);
  });

  it('gives back what was queued and what was on its way, in order, and settles what was asked', () => {
    const played = new PlayedSession().up();
    played.send('on its way');
    played.send('queued');
    played.fact({ type: 'turn-started', messageIds: [] });
    const open = played.asks(bashAsk('r1', 'ls'));
    const decided = played.asks(bashAsk('r2', 'ls'));
    played.respond(decided, allow());
    played.command({ type: 'stop', by: person });
    expect(played.last('session.stopped').returned).toEqual(['on its way', 'queued']);
    expect(played.all('message.removed').map((event) => event.cause)).toEqual(['returned', 'returned']);
    expect(played.all('interaction.resolved')).toMatchObject([
      { interactionId: open, outcome: 'interrupted', by: person, reason: 'The session was stopped.' },
    ]);
    played.command({ type: 'delivered', interactionId: decided, ok: true });
    expect(played.last('interaction.resolved')).toMatchObject({ outcome: 'allowed', delivered: true });
  });

  it('nothing that a stopped agent still says counts', () => {
    const played = new PlayedSession().up().working();
    played.command({ type: 'stop', by: person });
    const { length } = played.log;
    played.facts(
      {
        type: 'ready',
        agentSessionId: 'x',
        version: null,
        capabilities: played.state.capabilities ?? never(),
      },
      { type: 'asked', ask: bashAsk('r9', 'ls') },
      { type: 'turn-ended', outcome: 'completed' },
      { type: 'turn-started' },
    );
    expect(played.log).toHaveLength(length);
  });

  it('resume starts it again, to go on with the same conversation', () => {
    const played = new PlayedSession().up().working();
    played.command({ type: 'stop', by: person });
    played.fact(exit(0));
    expect(played.command({ type: 'reopen', by: person })).toBeUndefined();
    expect(played.state.status).toBe('starting');
    begin(played, 'run_2');
    expect(played.last('process.starting')).toMatchObject({ cause: 'resume', resume: 'agent-1' });
  });

  it.each(['not yet started', 'starting', 'idle', 'running', 'waiting'])(
    'there is nothing to resume when %s',
    (status) => {
      const played = statuses[status]?.() ?? never();
      expect(played.command({ type: 'reopen', by: person })?.code).toBe('session_already_running');
    },
  );
});

describe('[SES10] the server died', () => {
  it('everything under way is lost in words, what waited still waits, and the session sleeps', () => {
    const played = new PlayedSession().up().working();
    const open = played.asks(bashAsk('r1', 'ls'));
    const decided = played.asks(bashAsk('r2', 'ls'));
    played.respond(decided, allow());
    played.send('steer', 'steer');
    played.send('queued');
    played.command({ type: 'lose-process', reason: 'The server ended.' });
    expect(played.last('turn.ended')).toMatchObject({ outcome: 'lost', error: 'The server ended.' });
    expect(played.all('interaction.resolved')).toMatchObject([
      { interactionId: open, outcome: 'lost', reason: 'The server ended.' },
      { interactionId: decided, outcome: 'unknown', by: person },
    ]);
    expect(queueView(played.state).map(({ message, sending }) => [message, sending])).toEqual([
      ['steer', false],
      ['queued', false],
    ]);
    expect(played.state).toMatchObject({ status: 'asleep', wake: null, lastCrashAt: null });
    expect(played.command({ type: 'reopen', by: person })).toBeUndefined();
    played.up('run_2');
    expect(played.state.queue[0]).toMatchObject({ text: 'steer', sending: 'send' });
  });

  it('a session that was about to be started sleeps, too', () => {
    const played = new PlayedSession();
    played.send('hello');
    played.command({ type: 'lose-process', reason: 'The server ended.' });
    expect(played.state.status).toBe('asleep');
    expect(queueView(played.state)).toHaveLength(1);
  });

  it('a stopped one stays stopped', () => {
    const played = new PlayedSession().up();
    played.command({ type: 'stop', by: person });
    played.command({ type: 'lose-process', reason: 'The server ended.' });
    expect(played.state).toMatchObject({ status: 'stopped', process: null });
  });
});

describe('[SES11] sleep', () => {
  it('never takes a session that works, waits for a person, or has something to send', () => {
    const works = new PlayedSession().up().working();
    works.command({ type: 'close-process', cause: 'sleep' });
    const asks = new PlayedSession().up();
    asks.asks(bashAsk('r1', 'ls'));
    asks.command({ type: 'close-process', cause: 'sleep' });
    const starts = begin(new PlayedSession(), 'run_1');
    starts.command({ type: 'close-process', cause: 'sleep' });
    for (const played of [works, asks, starts]) expect(played.all('process.closing')).toEqual([]);
  });

  it('a message that comes while it falls asleep wakes it', () => {
    const played = new PlayedSession().up();
    played.command({ type: 'close-process', cause: 'sleep' });
    played.send('wait!');
    expect(begin(played, 'run_2').state.process?.id).toBe('run_1');
    played.fact(exit(0));
    expect(wantsProcess(played.state)).toBe(true);
    expect(played.state.status).toBe('starting');
  });
});

function never(): never {
  throw new Error('There is one');
}

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keeperStatus } from '../../src/drivers/keeper/keeper-admin.ts';
import { type Beckon, endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { eventually } from '../support/eventually.ts';
import { type PlayedAsk, RecordingAgent, writeRecordingProgram } from '../support/recording-agent.ts';
import { isRunning } from '../support/running.ts';
import { seededRandom, testSeed } from '../support/seeded-random.ts';
import { endWatches, watch, watchSession } from '../support/watch.ts';

const SEEDS = 240;
const AT_ONCE = 12;
const seed = testSeed();

let directory: string;
let dataDir: string;
let args: readonly string[];
let beckon: Beckon;
let agents = 0;

beforeEach(async () => {
  directory = await temporaryDirectory();
  dataDir = await temporaryDirectory();
  args = ['--claude', await writeRecordingProgram(directory)];
  beckon = await startBeckon({ dataDir, args });
});

afterEach(async () => {
  endWatches();
  await endBeckons();
});

const once: readonly PlayedAsk[] = [{ requestId: 'r1', command: 'ls', after: 'waits' }];

interface Asked {
  readonly agent: RecordingAgent;
  readonly sessionId: string;
  readonly requestId: string;
}

/** A session whose agent has asked, and waits. */
async function asking(asks: readonly PlayedAsk[] = once): Promise<Asked> {
  agents += 1;
  const agent = await RecordingAgent.play(directory, `agent-${agents}`, asks);
  const made = await beckon.api('POST', '/api/sessions', { agent: 'claude', cwd: directory, env: agent.env });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const sessionId: string = made.body.session.id;
  const [ask] = await pending(sessionId, 1);
  return { agent, sessionId, requestId: ask.requestId };
}

const pending = (sessionId: string, count: number) =>
  eventually(`${count} open`, async () => {
    const { body } = await beckon.api('GET', `/api/sessions/${sessionId}/pending`);
    return body.pending.length === count && body.pending;
  });

const allow = ({ sessionId, requestId }: Pick<Asked, 'sessionId' | 'requestId'>) =>
  beckon.api('POST', `/api/sessions/${sessionId}/approve`, { requestId, decision: 'allow' });

const record = async ({ sessionId, requestId }: Pick<Asked, 'sessionId' | 'requestId'>) =>
  (await beckon.api('GET', `/api/sessions/${sessionId}/interactions/${requestId}`)).body.interaction;

/** How it ended, once nothing more can come of it: delivered, or ended without. */
const ended = (asked: Pick<Asked, 'sessionId' | 'requestId'>) =>
  eventually('the end is on record', async () => {
    const interaction = await record(asked);
    const isFinal = interaction.deliveredAt !== undefined || interaction.resolvedReason !== undefined;
    return interaction.status === 'resolved' && isFinal && interaction;
  });

type Step = 'answer' | 'stop' | 'read' | 'kill';

/** In any order; an agent that is not stopped is killed or reads, and each step may wait for the one before or not. */
function stepsOf(random: () => number): {
  readonly steps: readonly Step[];
  readonly waits: readonly boolean[];
} {
  const chosen: Step[] = ['answer'];
  if (random() < 0.8) chosen.push('stop');
  if (random() < 0.6) chosen.push('read');
  if (random() < 0.3) chosen.push('kill');
  const steps = chosen
    .map((step) => ({ step, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ step }) => step);
  return { steps, waits: steps.map(() => random() < 0.4) };
}

const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name);
  } catch (error) {
    // It was quicker.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};

/** What an agent has read, and what the record says of it. */
async function playOrder(random: () => number): Promise<string> {
  const { steps, waits } = stepsOf(random);
  const asked = await asking();
  const pid = await asked.agent.pid();
  // Until "read" the agent takes nothing from its pipe.
  signal(pid, 'SIGSTOP');
  const replies: Promise<{ status: number }>[] = [];
  let answered: Promise<{ status: number }> | undefined;
  for (const [at, step] of steps.entries()) {
    if (step === 'read') signal(pid, 'SIGCONT');
    if (step === 'kill') signal(pid, 'SIGKILL');
    if (step === 'stop') replies.push(beckon.api('POST', `/api/sessions/${asked.sessionId}/stop`));
    if (step === 'answer') {
      answered = allow(asked);
      replies.push(answered);
    }
    // A frozen agent is ended only when its time is up.
    const isFrozen = !steps.slice(0, at).some((before) => before === 'read' || before === 'kill');
    if (waits[at] && !(isFrozen && steps.slice(0, at + 1).includes('stop'))) await replies.at(-1);
  }
  signal(pid, 'SIGCONT');
  await Promise.all(replies);
  const { outcome, deliveredAt } = await ended(asked);
  const isEnded = steps.includes('stop') || steps.includes('kill');
  if (isEnded) await eventually('the agent is gone', () => !isRunning(pid));
  else await eventually('the agent has read', () => asked.agent.read().length === 1);
  const hasRead = asked.agent.read().length > 0;
  const story = `${steps.map((step, at) => `${step}${waits[at] ? ',' : ''}`).join(' ')}: ${outcome}, ${hasRead ? 'read' : 'not read'}`;
  const won = (await answered)?.status === 200;
  expect(asked.agent.read().length, story).toBeLessThanOrEqual(1);
  // The keeper and the server are there throughout: what was written is known.
  expect(outcome, story).not.toBe('unknown');
  if (hasRead)
    expect({ outcome, won, isDelivered: deliveredAt !== undefined }, story).toEqual({
      outcome: 'allowed',
      won: true,
      isDelivered: true,
    });
  if (outcome === 'allowed') expect(deliveredAt, story).toBeDefined();
  // It was in the pipe of an agent that was ended before it read on.
  if (outcome === 'allowed' && !hasRead) expect(isEnded, story).toBe(true);
  if (won) expect(['allowed', 'lost'], story).toContain(outcome);
  else expect(['interrupted', 'lost'], story).toContain(outcome);
  return `${outcome}, ${hasRead ? 'read' : 'not read'}`;
}

describe('the record of a decision', () => {
  it(`[ASK4] [ASK5] agrees with the agent's own, in ${SEEDS} orders of answer, stop, the agent's reading and its death (seed ${seed})`, {
    timeout: 180_000,
  }, async () => {
    const random = seededRandom(seed);
    const seen = new Map<string, number>();
    let left = SEEDS;
    const player = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        const story = await playOrder(random);
        seen.set(story, (seen.get(story) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, player));
    // An order that never came about would prove nothing.
    expect([...seen.keys()]).toEqual(
      expect.arrayContaining(['allowed, read', 'interrupted, not read', 'lost, not read']),
    );
  });

  /** The keeper is frozen, so that an answer is on its way and nobody can say how far. */
  async function answeredOnTheWay(): Promise<Asked & { readonly keeper: number }> {
    const asked = await asking();
    const keeper = (await keeperStatus(dataDir))?.pid;
    if (keeper === undefined) throw new Error('There is no keeper');
    signal(keeper, 'SIGSTOP');
    expect(await allow(asked)).toMatchObject({ status: 200, body: { interaction: { outcome: 'allowed' } } });
    return { ...asked, keeper };
  }

  const mayHaveArrived = {
    status: 'resolved',
    outcome: 'unknown',
    decision: { type: 'allow', scope: 'once' },
    resolvedBy: { kind: 'person', via: 'token' },
    resolvedReason: expect.stringContaining('may have reached the agent'),
  };

  it('[ASK4] [ASK5] an answer that was on its way when the keeper died may have reached the agent, and is called so everywhere', async () => {
    const room = await watch(beckon);
    const asked = await answeredOnTheWay();
    signal(asked.keeper, 'SIGKILL');
    const interaction = await ended(asked);
    expect(interaction).toMatchObject(mayHaveArrived);
    expect(interaction.deliveredAt).toBeUndefined();
    const told = await room.until('its end', ({ event }) => event === 'approval-resolved');
    expect(told.data).toMatchObject({ outcome: 'unknown', decision: 'allow', interaction: mayHaveArrived });
    const late = await allow(asked);
    expect(late).toMatchObject({
      status: 409,
      body: { error: { code: 'interaction_already_resolved', details: { outcome: 'unknown' } } },
    });
    const { stdout } = await beckon.run(['watch', asked.sessionId, '--once']);
    expect(stdout).toContain('allowed with the token; may have reached the agent');
  });

  it('[ASK5] [SES10] so is one that was on its way when server and keeper died, at the next start', async () => {
    const asked = await answeredOnTheWay();
    await beckon.kill9();
    signal(asked.keeper, 'SIGKILL');
    beckon = await startBeckon({ dataDir, args });
    expect(await ended(asked)).toMatchObject(mayHaveArrived);
    expect(asked.agent.read()).toEqual([]);
  });

  it('[ASK5] [SES10] one that was on its way when the server died alone is written by the next, once', async () => {
    const asked = await answeredOnTheWay();
    await beckon.kill9();
    signal(asked.keeper, 'SIGCONT');
    beckon = await startBeckon({ dataDir, args });
    expect(await ended(asked)).toMatchObject({ outcome: 'allowed', deliveredAt: expect.any(String) });
    await eventually('the agent has read', () => asked.agent.read().length > 0);
    expect(asked.agent.read()).toEqual([{ requestId: 'r1', command: 'ls' }]);
  });
});

describe('an agent that uses the id of a request again', () => {
  it('[ASK13] [ASK5] after its answer: it is another ask, and its answer is written, also by the next server', async () => {
    const asked = await asking([
      { requestId: 'r1', command: 'ls', after: 'waits' },
      { requestId: 'r1', command: 'ls', after: 'waits' },
      { requestId: 'r1', command: 'pwd', after: 'waits' },
    ]);
    const { sessionId, agent } = asked;
    await allow(asked);
    const [second] = await pending(sessionId, 1);
    expect(second.requestId).not.toBe(asked.requestId);
    await beckon.kill9();
    beckon = await startBeckon({ dataDir, args });
    await allow({ sessionId, requestId: second.requestId });
    const third = await eventually('the third ask', async () => {
      const [ask] = await pending(sessionId, 1);
      return ask.requestId !== second.requestId && ask;
    });
    await allow({ sessionId, requestId: third.requestId });
    await eventually('all answers are read', () => agent.read().length === 3);
    expect(agent.read().map(({ command }) => command)).toEqual(['ls', 'ls', 'pwd']);
    for (const requestId of [asked.requestId, second.requestId, third.requestId]) {
      expect(await ended({ sessionId, requestId })).toMatchObject({
        outcome: 'allowed',
        deliveredAt: expect.any(String),
      });
    }
  });

  it('[ASK13] [PEER6] for something else while it is open: the first is ended, so that no answer to it can be taken for one to the second', async () => {
    const { sessionId, agent } = await asking([
      { requestId: 'r1', command: 'ls', after: 'goes-on' },
      { requestId: 'r1', command: 'rm -r build', after: 'waits' },
    ]);
    const session = await watchSession(beckon, sessionId);
    const first = await session.event('interaction.requested');
    const second = await session.event('interaction.requested');
    expect(await session.event('diagnostic')).toMatchObject({ code: 'reused-request-id', count: 1 });
    const tooLate = await allow({ sessionId, requestId: first.interactionId });
    expect(tooLate).toMatchObject({ status: 410, body: { error: { details: { outcome: 'withdrawn' } } } });
    expect(agent.read()).toEqual([]);
    await allow({ sessionId, requestId: second.interactionId });
    await eventually('the answer is read', () => agent.read().length > 0);
    expect(agent.read()).toEqual([{ requestId: 'r1', command: 'rm -r build' }]);
  });

  it('[ASK13] [PEER6] the same request twice is one ask and one answer', async () => {
    const asked = await asking([
      { requestId: 'r1', command: 'ls', after: 'goes-on' },
      { requestId: 'r1', command: 'ls', after: 'waits' },
      { requestId: 'r2', command: 'pwd', after: 'waits' },
    ]);
    const { sessionId, agent } = asked;
    expect(await allow(asked)).toMatchObject({ status: 200 });
    const [next] = await pending(sessionId, 1);
    expect(next.input).toEqual({ command: 'pwd' });
    await allow({ sessionId, requestId: next.requestId });
    await eventually('the second answer is read', () => agent.read().length === 2);
    expect(agent.read().map(({ requestId }) => requestId)).toEqual(['r1', 'r2']);
  });
});

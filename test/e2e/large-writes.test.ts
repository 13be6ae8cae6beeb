import { afterEach, describe, expect, it } from 'vitest';
import { type Beckon, endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { eventually } from '../support/eventually.ts';
import { scriptedClaude, startScripted } from '../support/scripted-claude/scripted-claude.ts';
import { seededRandom, testSeed } from '../support/seeded-random.ts';

const seed = testSeed();
const rounds = 3;

afterEach(endBeckons);

const events = async (beckon: Beckon, sessionId: string) =>
  (await beckon.api('GET', `/api/sessions/${sessionId}/events?limit=1000`)).body.events;

const agentPid = async (beckon: Beckon): Promise<number> =>
  JSON.parse((await beckon.run(['status', '--json'])).stdout).agents[0].pid;

/** At some moment within these milliseconds: this test is about moments. */
const moment = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe(`[STORE2] [ASK5] a server is killed in the midst of writing what no pipe holds (seed ${seed})`, () => {
  it('the agent gets the whole of it, once, and goes on; so does the answer that comes behind it', async () => {
    const random = seededRandom(seed);
    const args = ['--claude', await scriptedClaude()];
    const dataDir = await temporaryDirectory();
    let beckon = await startBeckon({ dataDir, args });
    const { sessionId, script, told } = await startScripted(beckon, 'large');
    const pid = await agentPid(beckon);
    for (let round = 0; round < rounds; round += 1) {
      const ask = `ask-${round}`;
      const [requestId] = await script({ ask: [{ id: ask, input: { command: 'ls' } }] });
      process.kill(pid, 'SIGSTOP');
      const filler = 'ä'.repeat(Math.ceil(random() * 400_000));
      const message = `message ${round} ${filler} end`;
      const steered = await beckon.api('POST', `/api/sessions/${sessionId}/message`, {
        message,
        disposition: 'steer',
      });
      expect(steered.status, JSON.stringify(steered.body)).toBe(200);
      const updatedInput = { command: `echo ${'b'.repeat(Math.ceil(random() * 200_000))}` };
      const answered = await beckon.api('POST', `/api/sessions/${sessionId}/approve`, {
        requestId,
        decision: 'allow',
        updatedInput,
      });
      expect(answered.status, JSON.stringify(answered.body)).toBe(200);
      for (let kills = 1 + Math.floor(random() * 2); kills > 0; kills -= 1) {
        await moment(Math.floor(random() * 30));
        await beckon.kill9();
        beckon = await startBeckon({ dataDir, args });
      }
      process.kill(pid, 'SIGCONT');
      await eventually('the answer has come', async () => (await told())[ask]);
      expect(await told()).toMatchObject({ [ask]: [{ behavior: 'allow', updatedInput }] });
      await eventually('the message was taken', async () =>
        (await events(beckon, sessionId)).some(
          (event: { type: string; text: string }) => event.type === 'message.taken' && event.text === message,
        ),
      );
    }
    expect(await agentPid(beckon)).toBe(pid);
    const all = await events(beckon, sessionId);
    expect(all.filter(({ type }: { type: string }) => type === 'process.exited')).toEqual([]);
    const raw = await (
      await fetch(`${beckon.url}/api/sessions/${sessionId}/raw`, {
        headers: { authorization: `Bearer ${beckon.token}` },
      })
    ).text();
    for (let round = 0; round < rounds; round += 1) {
      const inputs = raw
        .split(/^== /m)
        .filter((part) => part.startsWith('in ') && part.includes(`message ${round} `));
      expect(inputs).toHaveLength(1);
    }
  });
});

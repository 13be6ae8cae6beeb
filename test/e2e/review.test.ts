import { afterEach, expect, it } from 'vitest';
import type { ReviewComment } from '../../src/protocol/review.ts';
import { type Beckon, endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { eventually } from '../support/eventually.ts';
import { heardAgent } from '../support/heard-agent.ts';

afterEach(endBeckons);

it('[CHG33] [CHG32] comments that are being sent while the server is killed reach the agent once, whole', async () => {
  const agent = heardAgent(await temporaryDirectory());
  const dataDir = await temporaryDirectory();
  const serve = () => startBeckon({ dataDir, args: ['--claude', agent.program] });
  let beckon = await serve();
  const cwd = await temporaryDirectory();
  const { body } = await beckon.api('POST', '/api/sessions', { agent: 'claude', cwd, prompt: 'hello' });
  const { id } = body.session;
  await eventually('it is idle', async () => (await statusOf(beckon, id)) === 'idle');

  const add = async (text: string, from: number): Promise<ReviewComment> => {
    const place = { path: 'src/a b.ts', side: 'after', from, to: from, point: 'a'.repeat(40) };
    const comment = { ...place, quote: `line ${from} \`\`\` "quoted"`, text };
    return (await beckon.api('POST', `/api/sessions/${id}/comments`, comment)).body.comment;
  };
  for (let round = 0; round < rounds.length; round += 1) {
    const drafts = [await add(`first of ${round}`, 1), await add(`second of ${round}`, 2)];
    const comments = drafts.map(({ commentId, revision: shown }) => ({ commentId, shown }));
    const send = () =>
      beckon.api('POST', `/api/sessions/${id}/comments/send`, {
        comments,
        clientMessageId: `round-${round}`,
      });
    const told = send().catch(() => undefined);
    if (rounds[round] === 'replied') await told;
    await beckon.kill9();
    await told;
    beckon = await serve();
    expect((await send()).status).toBeLessThan(300);
    await eventually('the agent has heard it', () => heardOf(agent.messages(), round).length > 0);
    await eventually('it is idle', async () => (await statusOf(beckon, id)) === 'idle');
    expect((await beckon.api('GET', `/api/sessions/${id}/comments`)).body.comments).toEqual([]);
  }
  for (let round = 0; round < rounds.length; round += 1) {
    expect(heardOf(agent.messages(), round)).toEqual([
      [
        '2 comments on the changes. Lines marked "after" are counted in the files with the changes, "before" in the files without them.',
        '',
        '1. src/a b.ts:1 (after)',
        '````',
        'line 1 ``` "quoted"',
        '````',
        `first of ${round}`,
        '',
        '2. src/a b.ts:2 (after)',
        '````',
        'line 2 ``` "quoted"',
        '````',
        `second of ${round}`,
      ].join('\n'),
    ]);
  }
});

/** When the server is killed: while the request is on its way, or after the reply to it. */
const rounds = ['on its way', 'replied'];

const heardOf = (messages: readonly string[], round: number): string[] =>
  messages.filter((text) => text.includes(`first of ${round}`));

const statusOf = async (beckon: Beckon, id: string): Promise<string> =>
  (await beckon.api('GET', `/api/sessions/${id}`)).body.session.status;

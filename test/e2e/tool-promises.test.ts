import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Beckon, endBeckons, startBeckon } from '../support/beckon-process.ts';
import { asked, begin, resume } from '../support/tool-session.ts';
import { endWatches } from '../support/watch.ts';

const tools = resolve(import.meta.dirname, '../fixtures/tools/promises.ts');

let beckon: Beckon;
const startServer = () => startBeckon({ args: ['--tools', tools], env: { BECKON_DEMO_PACE: '0' } });

afterAll(async () => {
  endWatches();
  await endBeckons();
});

describe('what a tool may leave out, change and get wrong, with someone there', () => {
  beforeAll(async () => {
    beckon = await startServer();
  });

  it('[TOOL2] an approval without a prompt and scopes asks to allow the tool, once or for the session', async () => {
    const session = await begin(beckon, 'call bare_approval');
    const { interactionId, ask } = await asked(session);
    expect(ask).toMatchObject({ title: 'Allow "bare_approval"?', approvalScopes: ['once', 'session'] });
    await session.respond({ interactionId, action: 'approve', approvalScope: 'session' });
    expect((await session.result()).text).toContain('"approvalScope":"session"');
  });

  it('[TOOL5] asked again, it may be of another type, stand elsewhere and end in other words', async () => {
    const session = await begin(beckon, 'call second_thoughts');
    const first = await asked(session);
    await session.respond({ interactionId: first.interactionId, action: 'deny', reason: 'No.' });
    const second = await asked(session);
    expect(second.ask).toMatchObject({
      kind: 'form',
      title: 'Why not?',
      tool: { attempt: 2, replaces: first.interactionId },
      form: {
        presentation: 'questionnaire',
        completedView: { summaryTemplate: 'The reason was {{action}}: {{why}}', showInputs: true },
      },
    });
    const input = { why: 'It is late' };
    await session.respond({ interactionId: second.interactionId, action: 'submit', input });
    expect((await session.result()).text).toBe('{"action":"submit","input":{"why":"It is late"}}');
    const { stdout } = await beckon.run(['watch', session.id, '--all', '--once']);
    expect(stdout).toMatch(/✓ submitted.*\n {2}The reason was submitted: It is late\n {2}Why: It is late\n/);
  });

  it('[TOOL14] a name that a request does not know is refused, with the nearest that it does', async () => {
    const session = await begin(beckon, 'call misspelt');
    expect(await session.result()).toEqual({
      isError: true,
      text: 'The request cannot be shown: "promt" is not known here; did you mean "prompt"? (invalid_request)',
    });
  });

  it('[TOOL14] [TOOL13] a tool that is defined with such a name is named, and the others are offered', async () => {
    const { body } = await beckon.api('GET', '/api/tools');
    expect(body.tools.map(({ name }: { name: string }) => name)).not.toContain('misdefined');
    expect(body.problems).toEqual([
      {
        file: tools,
        tool: 'misdefined',
        error: '"askfirst" is not known here; did you mean "askFirst"?',
      },
    ]);
  });
});

describe('with nobody there', () => {
  it.each([
    ['ask', { answer: 'Ada' }, '{"ok":true,"answer":"Ada"}'],
    ['call open_question', { word: 'plum' }, 'The word is plum.'],
  ])(
    '[TOOL15] %s leaves its question open, says so, and the answer comes as a message',
    async (prompt, input, told) => {
      const alone = await startServer();
      const { body } = await alone.api('POST', '/api/sessions', { agent: 'demo', prompt });
      const session = await resume(alone, body.session.id);
      const result = await session.result();
      expect(result.isError).toBe(false);
      expect(JSON.parse(result.text)).toMatchObject({
        status: 'queued',
        message: expect.stringMatching(/^Nobody is connected .*open.*as a message/),
      });
      const left = await session.watching.event('interaction.left-open');
      await session.watching.event('turn.ended');
      const { interactionId } = left;
      expect((await session.respond({ interactionId, action: 'submit', input })).status).toBe(200);
      await session.watching.event('message.taken', ({ text }) => text.endsWith(told));
    },
  );
});

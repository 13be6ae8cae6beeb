import { afterEach, describe, expect, it, vi } from 'vitest';
import { AnswerDesk } from '../../src/cli/terminal/answer-desk.ts';
import type { AskedInteraction } from '../../src/cli/terminal/dialog.ts';
import { BeckonError } from '../../src/client/beckon-error.ts';
import type { Transport } from '../../src/client/transport.ts';
import { shownDigest } from '../../src/model/shown-digest.ts';
import { InteractionId } from '../../src/protocol/ids.ts';

const asked = (command: string): AskedInteraction => ({
  interactionId: InteractionId.parse('i'),
  kind: 'approval',
  toolName: 'Bash',
  title: command,
  input: { command },
});

describe('answering in a terminal', () => {
  afterEach(() => void vi.useRealTimers());

  it('[TERM11] what has only just come up cannot be answered yet, and how it is answered is told when it can be', () => {
    vi.useFakeTimers();
    const said: string[] = [];
    const desk = new AnswerDesk({
      transport: {} as Transport,
      session: 's',
      say: (text) => said.push(text),
      show: ({ title }) => said.push(title),
      canAnswer: true,
      stillMs: 500,
    });
    desk.start();
    desk.open(asked('ls'), false);
    expect([desk.isSettling, desk.asking, said]).toEqual([true, 'i', ['ls']]);
    vi.advanceTimersByTime(499);
    expect(desk.isSettling).toBe(true);
    vi.advanceTimersByTime(1);
    expect([desk.isSettling, said.length]).toEqual([false, 2]);
    desk.close('i');
    expect([desk.isSettling, desk.asking]).toEqual([false, undefined]);
  });

  it('[ASK14] names what was shown, and shows what is asked instead before it asks again', async () => {
    const bodies: unknown[] = [];
    const shown: string[] = [];
    const now = asked('rm -rf build');
    const transport = {
      approve: async (_session: string, body: { shown?: string }) => {
        bodies.push(body);
        if (body.shown !== shownDigest(now)) throw new BeckonError('interaction_changed', 409, 'It changed.');
      },
      pending: async () => [now],
    } as unknown as Transport;
    const desk = new AnswerDesk({
      transport,
      session: 's',
      say: () => {},
      show: ({ title }) => shown.push(title),
      canAnswer: true,
    });
    desk.open(asked('ls'), false);
    desk.start();
    await desk.take('a');
    expect(shown).toEqual(['ls', 'rm -rf build']);
    await desk.take('a');
    expect(bodies).toMatchObject([{ shown: shownDigest(asked('ls')) }, { shown: shownDigest(now) }]);
    expect(desk.asking).toBeUndefined();
  });

  it('[TERM9] a form that the server refuses keeps what was filled in', async () => {
    const inputs: unknown[] = [];
    const said: string[] = [];
    const transport = {
      respond: async (_session: string, { input }: { input: unknown }) => {
        inputs.push(input);
        if (inputs.length === 1) throw new BeckonError('invalid_answer', 422, '"Name" is taken.');
      },
    } as unknown as Transport;
    const text = (id: string) => ({ id, label: id, type: 'text' as const, required: true });
    const form = { message: '', presentation: 'tool' as const, fields: [text('name'), text('place')] };
    const desk = new AnswerDesk({
      transport,
      session: 's',
      say: (line) => said.push(line),
      show() {},
      canAnswer: true,
    });
    desk.start();
    desk.open({ ...asked('form'), kind: 'form', form }, true);
    for (const line of ['Jo', 'Ulm', 'yes']) await desk.take(line);
    expect(said.slice(-2)).toEqual([
      '"Name" is taken.',
      expect.stringContaining('1. name: Jo\n  2. place: Ulm'),
    ]);
    for (const line of ['1', 'Mo', 'yes']) await desk.take(line);
    expect(inputs).toEqual([
      { name: 'Jo', place: 'Ulm' },
      { name: 'Mo', place: 'Ulm' },
    ]);
  });

  it.each([
    ['many lines', Array.from({ length: 100 }, (_, at) => `echo ${at}`).join('\n')],
    ['a long line', `echo ${'x'.repeat(3_000)}`],
  ])('[TERM11] %s are not allowed before all of it was shown, and can be denied', async (_, command) => {
    const decisions: unknown[] = [];
    const said: string[] = [];
    const transport = {
      approve: async (_session: string, body: { decision: string }) => decisions.push(body.decision),
    } as unknown as Transport;
    const shown: boolean[] = [];
    const desk = new AnswerDesk({
      transport,
      session: 's',
      say: (text) => said.push(text),
      show: (_ask, isWhole) => shown.push(isWhole),
      canAnswer: true,
    });
    desk.start();
    desk.open(asked(command), false);
    await desk.take('a');
    await desk.take('always');
    expect([decisions, shown]).toEqual([[], [false]]);
    expect(said.at(-1)).toContain('Not all of it was shown');
    await desk.take('v');
    await desk.take('a');
    expect([decisions, shown]).toEqual([['allow'], [false, true]]);
    desk.open({ ...asked(command), interactionId: InteractionId.parse('j') }, false);
    await desk.take('d no');
    expect(decisions).toEqual(['allow', 'deny']);
  });
});

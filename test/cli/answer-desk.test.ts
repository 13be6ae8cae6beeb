import { describe, expect, it } from 'vitest';
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
});

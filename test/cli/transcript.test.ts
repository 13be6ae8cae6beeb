import { describe, expect, it } from 'vitest';
import { type Paint, plain } from '../../src/cli/render/paint.ts';
import { createTranscript, type TranscriptOptions } from '../../src/cli/render/transcript.ts';
import { callShapeOf } from '../../src/drivers/tool-calls.ts';
import type { SessionSnapshot } from '../../src/protocol/announcement.ts';
import type { Delta, Event, NewEvent } from '../../src/protocol/event.ts';
import { InteractionId, MessageId } from '../../src/protocol/ids.ts';

const tagged: Paint = (tone, text) => `<${tone}>${text}</${tone}>`;

interface Conversation {
  event(event: NewEvent): Conversation;
  delta(messageId: string, fragment: string, more?: Partial<Delta>): Conversation;
  snapshot(lastSeq: number, partial?: Delta[]): Conversation;
  line(line: string): Conversation;
  readonly text: string;
}

function conversation(paint: Paint = plain, options: Partial<TranscriptOptions> = {}): Conversation {
  const transcript = createTranscript({ paint, ...options });
  let seq = 0;
  let text = '';
  const add = (more: string): Conversation => {
    text += more;
    return self;
  };
  const self: Conversation = {
    event: (event) =>
      add(transcript.event({ ...event, seq: ++seq, at: '2026-01-01T00:00:00.000Z' } as Event)),
    delta: (messageId, fragment, more = {}) =>
      add(transcript.delta({ messageId, block: 0, kind: 'text', text: fragment, ...more })),
    snapshot: (lastSeq, partial = []) =>
      add(transcript.snapshot({ lastSeq, partial } as unknown as SessionSnapshot)),
    line: (line) => add(transcript.line(line)),
    get text() {
      return text;
    },
  };
  return self;
}

const said = (agentMessageId: string, text: string, parentToolCallId?: string): NewEvent => ({
  type: 'agent.text',
  agentMessageId,
  block: 0,
  text,
  ...(parentToolCallId === undefined ? {} : { parentToolCallId }),
});
const called = (
  toolCallId: string,
  name: string,
  input: Record<string, unknown>,
  more: object = {},
): NewEvent => ({
  type: 'tool.called',
  agentMessageId: 'm',
  block: 1,
  toolCallId,
  name,
  input,
  call: callShapeOf(name, input),
  startsAgent: false,
  ...more,
});
const result = (toolCallId: string, text: string, more: object = {}): NewEvent => ({
  type: 'tool.result',
  toolCallId,
  isError: false,
  text,
  ...more,
});
const ended = (more: object): NewEvent => ({
  type: 'turn.ended',
  turnId: 't',
  outcome: 'completed',
  ...more,
});

describe('the conversation in a terminal', () => {
  it('streams text as it comes and does not repeat it when it is stored', () => {
    const screen = conversation().delta('m', 'Hel').delta('m', 'lo, wor');
    expect(screen.text).toBe('Hello, wor');
    screen.event(said('m', 'Hello, world.'));
    expect(screen.text).toBe('Hello, world.\n');
  });

  it('says stored text whole that was not streamed, or was streamed otherwise', () => {
    expect(conversation().event(said('m', 'Hello.\n')).text).toBe('Hello.\n');
    expect(conversation().delta('m', 'Jello').event(said('m', 'Hello.')).text).toBe('Jello\nHello.\n');
  });

  it('a client that comes in the middle of a sentence gets its beginning once, after what came before', () => {
    const screen = conversation().snapshot(2, [
      { messageId: 'm2', block: 0, kind: 'text', text: 'In the mid' },
    ]);
    expect(screen.text).toBe('');
    screen.event(said('m1', 'Before.')).event(called('c', 'Read', { path: 'a' }));
    expect(screen.text).toBe('Before.\n● Read a\nIn the mid');
    screen.delta('m2', 'dle').event(said('m2', 'In the middle.'));
    expect(screen.text).toBe('Before.\n● Read a\nIn the middle.\n');
  });

  it('after a lost connection only what was missed is said', () => {
    const screen = conversation().event(said('m1', 'One.')).delta('m2', 'Tw');
    screen.snapshot(1, [{ messageId: 'm2', block: 0, kind: 'text', text: 'Two, th' }]);
    screen.delta('m2', 'ree').event(said('m2', 'Two, three.'));
    expect(screen.text).toBe('One.\nTwo, three.\n');
  });

  it('[SES12] two that speak at once are shown one after the other, the sub-agent indented', () => {
    const screen = conversation()
      .event(called('task', 'Task', { description: 'look around' }, { startsAgent: true }))
      .delta('a', 'Main ')
      .delta('b', 'Sub', { parentToolCallId: 'task' })
      .delta('a', 'text');
    expect(screen.text).toBe('● Task look around\nMain text');
    screen.event(said('a', 'Main text.')).delta('b', ' says\nmore', { parentToolCallId: 'task' });
    screen.event(said('b', 'Sub says\nmore.', 'task'));
    expect(screen.text).toBe('● Task look around\nMain text.\n│ Sub says\n│ more.\n');
  });

  it('[SES12] sub-agents of sub-agents are indented further', () => {
    const screen = conversation()
      .event(called('t1', 'Task', {}, { startsAgent: true }))
      .event(called('t2', 'Task', {}, { startsAgent: true, parentToolCallId: 't1' }))
      .event(called('t3', 'Read', { path: 'x' }, { parentToolCallId: 't2' }))
      .event(result('t3', 'ok', { parentToolCallId: 't2' }));
    expect(screen.text).toBe('● Task\n│ ● Task\n│ │ ● Read x\n│ │   └ Read: ok\n');
  });

  it('a line that comes in between begins on a line of its own', () => {
    const screen = conversation()
      .delta('m', 'half a')
      .line('The connection is lost.')
      .delta('m', ' sentence');
    expect(screen.text).toBe('half a\nThe connection is lost.\n sentence');
  });

  it('thinking is dimmed, line by line', () => {
    const screen = conversation(tagged).delta('m', 'one\ntwo', { kind: 'thinking' });
    expect(screen.text).toBe('<dim>one</dim>\n<dim>two</dim>');
  });

  it('tool calls and their results take one line each', () => {
    const screen = conversation()
      .event(called('c1', 'Bash', { command: 'npm test\nnpm run lint', timeout: 5 }))
      .event(result('c1', '12 passed\n\nall good\nreally'))
      .event(called('c2', 'Frob', { depth: 3 }))
      .event(result('c2', 'no such thing', { isError: true }));
    expect(screen.text).toBe(
      '● Bash npm test npm run lint\n  └ Bash: 12 passed (+2 lines)\n● Frob {"depth":3}\n  └ Frob: ✗ no such thing\n',
    );
  });

  it('[UI12] escapes of the agent never reach the terminal, also when a delta cuts them', () => {
    const screen = conversation()
      .delta('m', 'safe\u001b]0;ow')
      .delta('m', 'ned\u0007 text')
      .event(said('m', 'safe\u001b]0;owned\u0007 text.'))
      .event(called('c', 'Ba\u001b[2Jsh', { command: 'echo \u001b[31m' }))
      .event(result('c', '\u001b]52;c;AAAA\u0007pasted'))
      .event(ended({ outcome: 'failed', error: 'bad\u001b[2J' }));
    expect(screen.text).toBe('safe text.\n● Bash echo \\u{1b}[31m\n  └ Bash: pasted\n── failed: bad\n\n');
  });

  it('a turn ends with duration, tokens and cost; the ways to end are told apart', () => {
    const usage = { inputTokens: 1_000, outputTokens: 204, cacheReadTokens: 0, cacheWriteTokens: 0 };
    expect(conversation().event(ended({ durationMs: 3_210, costUsd: 0.0123, usage })).text).toBe(
      '── done · 3.2 s · 1204 tokens · $0.0123\n\n',
    );
    expect(conversation().event(ended({ outcome: 'interrupted' })).text).toContain('── interrupted');
    expect(conversation().event(ended({ outcome: 'failed', error: 'no quota' })).text).toContain(
      '── failed: no quota',
    );
    expect(conversation().event(ended({ outcome: 'lost' })).text).toContain('── lost');
  });

  it.each([
    ['allowed', {}, '✓ allowed by web'],
    ['denied', { reason: 'too risky' }, '✗ denied by web: too risky'],
    ['withdrawn', {}, 'withdrawn by the agent'],
    ['interrupted', {}, 'ended by an interrupt'],
    ['expired', {}, 'expired without an answer'],
    ['lost', {}, 'lost: the process that asked is gone'],
    ['unknown', {}, '? decided by web; may have reached the agent'],
  ] as const)('[ASK4] the outcome %s has words of its own', (outcome, more, words) => {
    const by = { kind: 'person' as const, where: 'web' };
    const event = {
      type: 'interaction.resolved',
      interactionId: InteractionId.parse('i'),
      outcome,
      by,
      delivered: true,
      ...more,
    } as const;
    expect(conversation().event(event).text).toContain(words);
  });

  it.each([
    [{ kind: 'person', via: 'device', device: { id: 'd', name: 'Chrome on macOS' } }, 'by Chrome on macOS'],
    [{ kind: 'person', via: 'token', client: 'terminal' }, 'with the token (terminal)'],
    [{ kind: 'person', via: 'token' }, 'with the token'],
    [{ kind: 'person', via: 'library' }, 'through the library'],
    [{ kind: 'person', where: 'api' }, 'with the token'],
    [{ kind: 'grant' }, 'by a standing approval'],
    [{ kind: 'timer' }, 'by the time limit'],
  ] as const)('[ASK12] says who decided, as far as it is known: %j', (by, words) => {
    const interactionId = InteractionId.parse('i');
    const decision = { type: 'deny', message: 'no', interrupt: false } as const;
    const screen = conversation()
      .event({ type: 'interaction.decided', interactionId, outcome: 'denied', decision, by })
      .event({ type: 'interaction.resolved', interactionId, outcome: 'unknown', by, delivered: false });
    expect(screen.text).toBe(`? denied ${words}; may have reached the agent\n`);
  });

  it('[ASK4] what was answered here is not told as another’s', () => {
    const event = {
      type: 'interaction.resolved',
      interactionId: InteractionId.parse('i'),
      outcome: 'allowed',
      by: { kind: 'person', where: 'api' },
      delivered: true,
    } as const;
    expect(conversation(plain, { isOwnAnswer: (id) => id === 'i' }).event(event).text).toBe('✓ allowed\n');
  });

  it('shows messages of others, and not again those typed here', () => {
    const taken = (messageId: string): NewEvent => ({
      type: 'message.taken',
      messageId: MessageId.parse(messageId),
      text: 'do\nthis',
      images: [],
    });
    const screen = conversation(plain, { isOwnMessage: (id) => id === 'own' })
      .event(taken('own'))
      .event(taken('other'));
    expect(screen.text).toBe('› do\n  this\n');
  });
});

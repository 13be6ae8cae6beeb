import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { NewEvent } from '../../src/protocol/event.ts';
import type { Outcome } from '../../src/protocol/interaction.ts';
import { ConversationProvider } from '../../src/web/conversation/conversation-context.ts';
import type { Row } from '../../src/web/conversation/row.ts';
import { ToolRow } from '../../src/web/conversation/tool-row.tsx';
import { FakeTransport } from './support/fake-transport.ts';
import { renderPage } from './support/render-page.tsx';
import { asked, called, conversationOf, resolvedAsk, result, sessionId, text } from './support/samples.ts';

/** Shows the first call of a conversation. */
function show(...events: readonly NewEvent[]): Row {
  const conversation = conversationOf(...events);
  const [row] = conversation.rows;
  if (row?.item.kind !== 'tool') throw new Error('There is no call');
  const place = { sessionId: sessionId('s1'), cwd: '/', conversation, toggle: () => {}, toAsk: () => {} };
  renderPage(
    new FakeTransport(),
    <ConversationProvider value={place}>
      <ToolRow row={row} item={row.item} isOpen={false} />
    </ConversationProvider>,
  );
  return row;
}

function showLine(...events: readonly NewEvent[]): string {
  show(...events);
  return screen.getByRole('button').textContent ?? '';
}

describe('a call that was asked about', () => {
  const asking = [called('t1', { command: 'rm -rf build' }), asked('i1', { toolCallId: 't1' })];
  const ended = (outcome: Outcome): NewEvent => ({ ...resolvedAsk('i1'), outcome }) as NewEvent;
  const refused = { ...result('t1', 'No'), isError: true } as NewEvent;

  it('[ASK4] did not run when a person said no', () => {
    expect(showLine(...asking, ended('denied'), refused)).toMatch(/^Did not run rm -rf build ?denied$/);
  });

  it.each(['withdrawn', 'interrupted', 'expired', 'lost'] as const)(
    '[ASK4] neither ran nor failed when the ask was %s',
    (outcome) => {
      expect(showLine(...asking, ended(outcome), refused)).toBe('Did not run rm -rf build');
    },
  );

  it('ran, and failed, when it was allowed; the time that the person took is not its own', () => {
    expect(showLine(...asking, ended('allowed'), refused)).toMatch(/^Ran rm -rf build ?failed ?1\.0 s$/);
  });
});

it('[SES12] counts what a sub-agent did, not the task that it was given', () => {
  const row = show(
    called('outer', { description: 'Look' }, { name: 'Agent', startsAgent: true }),
    { type: 'user.text', text: 'Look around', parentToolCallId: 'outer' },
    called('inner', { command: 'ls' }, { parentToolCallId: 'outer' }),
    text('m2', 'I looked.', 'outer'),
  );
  expect(row.children).toHaveLength(3);
  expect(screen.getByRole('button', { name: /Sub-agent: Look/ }).textContent).toContain('2 steps');
});

import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { ConversationProvider } from '../../src/web/conversation/conversation-context.ts';
import { ToolRow } from '../../src/web/conversation/tool-row.tsx';
import { FakeTransport } from './support/fake-transport.ts';
import { renderPage } from './support/render-page.tsx';
import { called, conversationOf, sessionId, text } from './support/samples.ts';

it('[SES12] counts what a sub-agent did, not the task that it was given', () => {
  const conversation = conversationOf(
    called('outer', { description: 'Look' }, { name: 'Agent', startsAgent: true }),
    { type: 'user.text', text: 'Look around', parentToolCallId: 'outer' },
    called('inner', { command: 'ls' }, { parentToolCallId: 'outer' }),
    text('m2', 'I looked.', 'outer'),
  );
  const [row] = conversation.rows;
  if (row?.item.kind !== 'tool') throw new Error('There is no call');
  const place = { sessionId: sessionId('s1'), cwd: '/', conversation, toggle: () => {}, toAsk: () => {} };
  renderPage(
    new FakeTransport(),
    <ConversationProvider value={place}>
      <ToolRow row={row} item={row.item} isOpen={false} />
    </ConversationProvider>,
  );
  expect(row.children).toHaveLength(3);
  expect(screen.getByRole('button', { name: /Sub-agent: Look/ }).textContent).toContain('2 steps');
});

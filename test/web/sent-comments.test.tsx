import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { NewEvent } from '../../src/protocol/event.ts';
import { CommentId } from '../../src/protocol/ids.ts';
import type { SentReview } from '../../src/protocol/review.ts';
import { Conversation } from '../../src/web/conversation/conversation.logic.ts';
import { ConversationProvider } from '../../src/web/conversation/conversation-context.ts';
import { MessageRow } from '../../src/web/conversation/message-row.tsx';
import { FakeTransport } from './support/fake-transport.ts';
import { renderPage } from './support/render-page.tsx';
import { conversationOf, logOf, queued, sessionId, taken, text } from './support/samples.ts';

const review: SentReview = {
  remark: 'Nearly there.',
  comments: [
    {
      commentId: CommentId.parse('com_1'),
      path: 'src/app.ts',
      side: 'before',
      from: 3,
      to: 4,
      point: 'a'.repeat(40),
      quote: 'one\ntwo\u202e',
      text: 'Why?',
      revision: 2,
      createdAt: '2026-01-01T00:00:00.000Z',
      by: { kind: 'person' },
    },
  ],
};
const sent = (applied: 'send' | 'queue', said: string): NewEvent =>
  ({ ...queued('m1', 'Nearly there.\n\nOne comment …', applied), review, text: said }) as NewEvent;

it('[CHG34] a message with comments is told as what was said of the whole, and its comments by their places', () => {
  const conversation = conversationOf(sent('send', 'the text'), taken('m1', 'the text'));
  const [row] = conversation.rows;
  if (row?.item.kind !== 'message') throw new Error('There is no message');
  const place = { sessionId: sessionId('s1'), cwd: '/', conversation, toggle: () => {}, toAsk: () => {} };
  renderPage(
    new FakeTransport(),
    <ConversationProvider value={place}>
      <MessageRow item={row.item} />
    </ConversationProvider>,
  );
  expect(screen.getByText('Nearly there.')).toBeTruthy();
  expect(screen.queryByText('the text')).toBeNull();
  expect(screen.queryByText(/src\/app.ts/)).toBeNull();
  const button = screen.getByRole('button', { name: '1 comment on the changes' });
  button.click();
  return screen.findByRole('listitem').then((item) => {
    expect(item.textContent).toBe('src/app.ts:3-4 · before the changeone\ntwo\\u{202e}Why?');
  });
});

it('[CHG34] one that was edited while it waited is told as its text; comments on an older page are found', () => {
  const edited = conversationOf(sent('queue', 'the text'), taken('m1', 'another text'));
  expect(edited.rows[0]?.item).toMatchObject({ text: 'another text', review: null });
  const log = logOf(sent('queue', 'the text'), text('a', 'x'), taken('m1', 'the text'));
  const conversation = new Conversation({ id: sessionId('s1'), key: null });
  for (const event of log.slice(2)) conversation.append(event);
  expect(conversation.rows.at(-1)?.item).toMatchObject({ review: null });
  conversation.prepend(log.slice(0, 2));
  expect(conversation.rows.at(-1)?.item).toMatchObject({ review });
});

import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { FakeTransport } from './support/fake-transport.ts';
import { renderPage } from './support/render-page.tsx';
import { aSession, logOf, taken, text } from './support/samples.ts';

const drawn = vi.hoisted(() => ({ cards: 0 }));

// It is drawn whenever the card around it is.
vi.mock('../../src/web/composer/small-composer.tsx', () => ({
  SmallComposer: () => {
    drawn.cards += 1;
    return null;
  },
}));

describe('a monitor', () => {
  it('[UI25] [UI1] shows every word without drawing its card anew', async () => {
    const fake = new FakeTransport();
    fake.logs.set('a', logOf(taken('u1', 'Go'), text('m1', 'Yes.')));
    const { tell } = renderPage(fake);
    const session = aSession({ id: 'a', title: 'Login', status: 'running', lastSeq: 2 });
    await tell(() => fake.tellSnapshot([session]));
    await waitFor(() => expect(fake.heard.sessions).toEqual(['a']));
    await tell(() => fake.tellSnapshot([session]));
    await screen.findByText('Yes.');
    const before = drawn.cards;
    for (const word of ['One ', 'two ', 'three'])
      await tell(() => fake.heard.onDelta?.('a', { messageId: 'm2', block: 0, kind: 'text', text: word }));
    expect(screen.getByText('One two three')).toBeTruthy();
    expect(before).toBeGreaterThan(0);
    expect(drawn.cards).toBe(before);
  });
});

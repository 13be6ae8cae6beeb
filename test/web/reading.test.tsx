import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Interaction } from '../../src/protocol/interaction.ts';
import { latestAt } from '../../src/web/data/interactions.ts';
import { useRoom } from '../../src/web/data/room-context.tsx';
import { cardsOf } from '../../src/web/interaction/cards.ts';
import { ReadBox, ReadingProvider, useReading } from '../../src/web/interaction/reading.tsx';
import { FakeTransport } from './support/fake-transport.ts';
import { renderPage } from './support/render-page.tsx';
import { aSession, aToolAsk } from './support/samples.ts';

const boxHeight = 100;
/** As high as it is long: a browser would measure it. */
beforeEach(() => {
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(boxHeight);
  vi.spyOn(HTMLElement.prototype, 'scrollHeight', 'get').mockImplementation(function (this: HTMLElement) {
    return this.textContent.length;
  });
});
afterEach(() => void vi.restoreAllMocks());

/** A card that goes on in its place, whatever is asked there, with a part that nothing tells apart. */
function Card() {
  const interaction = useRoom((room) => latestAt(room, 'i1'));
  return interaction === undefined ? null : <Shown interaction={interaction} />;
}

function Shown({ interaction }: { readonly interaction: Interaction }) {
  return (
    <ReadingProvider value={useReading(interaction)}>
      <ReadBox className="">{String(interaction.input.notes)}</ReadBox>
    </ReadingProvider>
  );
}

const ask = (id: string, notes: string, more: Parameters<typeof aToolAsk>[1] = {}): Interaction =>
  aToolAsk(undefined, { id, kind: 'approval', input: { notes }, ...more });
const long = 'rm -rf ~ '.repeat(boxHeight);

it('[UI29] [UI14] an ask that takes the place of another, or changes in it, is not read because that was', async () => {
  const fake = new FakeTransport();
  const { tell, room } = renderPage(fake, <Card />);
  const cards = cardsOf(room);
  const asked = async (interaction: Interaction): Promise<boolean> => {
    await tell(() => fake.heard.onAnnouncement({ type: 'approval-requested', data: interaction }));
    return cards.isRead(interaction);
  };
  await tell(() => fake.tellSnapshot([aSession({ status: 'waiting' })]));
  expect(await asked(ask('i1', 'short', { revision: 1 }))).toBe(true);
  expect(await asked(ask('i1', long, { revision: 2 }))).toBe(false);
  expect(await asked(ask('i2', 'short again', { attempt: 2, replaces: 'i1' }))).toBe(true);
  expect(await asked(ask('i3', long, { attempt: 3, replaces: 'i2' }))).toBe(false);
  // Until its own end has been in view.
  const box = document.querySelector('.overflow-auto') ?? expect.fail();
  await tell(() => {
    box.scrollTop = long.length;
    box.dispatchEvent(new Event('scroll'));
  });
  expect(cards.isRead(ask('i3', long, { attempt: 3, replaces: 'i2' }))).toBe(true);
  room.close();
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { announcementsOf } from '../../src/engine/announce.ts';
import { fold } from '../../src/model/fold.ts';
import { valuesOf } from '../../src/model/ordered-map.ts';
import type { SessionState } from '../../src/model/state.ts';
import { interactionOf } from '../../src/model/status.ts';
import { interactionFromLog, interactionView } from '../../src/model/views.ts';
import { type Event, referencesOf } from '../../src/protocol/event.ts';
import type { InteractionId } from '../../src/protocol/ids.ts';
import { Interaction } from '../../src/protocol/interaction.ts';
import { Conversation } from '../../src/web/conversation/conversation.logic.ts';
import { commitOf, playStory, story } from '../support/interaction-stories.ts';
import type { Steps } from '../support/random-moves.ts';
import { times } from '../support/seeded-random.ts';
import { PlayedSession } from '../support/session-states.ts';

const idsIn = (events: readonly Event[]): InteractionId[] =>
  events.flatMap((event) => (event.type === 'interaction.requested' ? [event.interactionId] : []));

const fromLog = (state: SessionState, events: readonly Event[], id: string): Interaction | undefined =>
  interactionFromLog(
    state,
    events.filter((event) => isAbout(event, id)),
  );

const isAbout = (event: Event, id: string): boolean => referencesOf(event).includes(id);

describe('[ASK16] an interaction is the same from the state, from the log and on the page', () => {
  it('after every event, in whatever order it is put off, raised, parked, left open, answered, withdrawn, interrupted or lost', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(story, (steps) => {
        const { log } = playStory(steps, new PlayedSession({ key: 'task-1' }).up());
        let state = fold(null, log[0] as Event);
        const page = new Conversation(state);
        /** How the end of each was announced: the state no longer has it then. */
        const ended = new Map<string, Interaction>();
        for (const [index, event] of log.entries()) {
          const before = state;
          if (index > 0) state = fold(state, event);
          page.append(event);
          for (const { announcement: told } of announcementsOf(commitOf(before, event, state))) {
            if (told.type === 'approval-resolved') ended.set(told.data.requestId, told.data.interaction);
          }
          if (event.type === 'interaction.deferred' && before.process === null) seen.add('asleep again');
          const events = log.slice(0, index + 1);
          for (const id of idsIn(events)) {
            const live = interactionOf(state, id);
            const view = live === undefined ? ended.get(id) : interactionView(state, live);
            expect(fromLog(state, events, id), `log after ${event.type}`).toEqual(view);
            expect(page.interaction(id), `page after ${event.type}`).toEqual(view);
            if (view !== undefined) seen.add(standing(view));
            const named = events.findLast(
              (each) => each.type.startsWith('interaction.') && isAbout(each, id),
            );
            expect(view?.revision, `revision after ${event.type}`).toBe(named?.seq);
          }
        }
      }),
      { numRuns: times(300) },
    );
    // A story that never told of one of these would prove nothing about it.
    expect([...seen].sort()).toEqual(expect.arrayContaining(standings));
  });

  it('also on a page that is read from its end backwards', () => {
    fc.assert(
      fc.property(story, fc.nat(100), fc.nat(100), (steps, ...cuts) => {
        const { log, state } = playStory(steps, new PlayedSession({ key: 'task-1' }).up());
        const [first = 0, second = 0] = cuts.map((cut) => cut % log.length).sort((a, b) => a - b);
        const page = new Conversation(state);
        for (const event of log.slice(second)) page.append(event);
        page.prepend(log.slice(first, second));
        page.prepend(log.slice(0, first));
        for (const id of idsIn(log)) expect(page.interaction(id)).toEqual(fromLog(state, log, id));
      }),
      { numRuns: times(200) },
    );
  });

  it('[SES6] [ASK4] once a session is stopped and its process gone, nothing that the agent asked is left without an end', () => {
    fc.assert(
      fc.property(story, fc.constantFrom('exits', 'lose'), (steps, end) => {
        const stopped: Steps = [...steps, ['stop', 0], [end, 0]];
        const { state } = playStory(stopped, new PlayedSession().up());
        const asked = valuesOf(state.interactions).filter(
          ({ requested }) => requested.ask.tool === undefined,
        );
        expect(asked).toEqual([]);
      }),
      { numRuns: times(300) },
    );
  });

  it('fits the schema in every order', () => {
    fc.assert(
      fc.property(story, (steps) => {
        const { log, state } = playStory(steps, new PlayedSession({ key: 'task-1' }).up());
        for (const id of idsIn(log)) {
          const view = fromLog(state, log, id);
          expect(Interaction.parse(view)).toEqual(view);
        }
      }),
      { numRuns: times(100) },
    );
  });
});

const standing = ({ status, deferred, parked, leftOpen, outcome }: Interaction): string =>
  status === 'open'
    ? [deferred === true && 'asleep', parked && 'parked', leftOpen !== undefined && 'left open']
        .filter((word) => word !== false)
        .join(', ') || 'open'
    : (outcome ?? 'without an outcome');

const standings = [
  'open',
  'asleep',
  'asleep again',
  'parked',
  'left open',
  'allowed',
  'denied',
  'answered',
  'expired',
  'withdrawn',
  'interrupted',
  'lost',
  'unknown',
];

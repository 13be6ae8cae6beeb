import { interactionOf } from '../../model/status.ts';
import { isGivenAlready } from '../../model/suggestions.ts';
import { accept, refuse } from '../../protocol/errors.ts';
import { GrantId } from '../../protocol/ids.ts';
import type { Suggestion } from '../../protocol/suggestion.ts';
import { done, type Handlers, type Room } from './room.ts';

export const suggestionHandlers = {
  /** Of one ask that is open, at most one; else all there are. */
  async listSuggestions(room, { sessionId, interactionId }) {
    const { history, registry } = room;
    await history.read();
    const isWanted = wantedIn(room);
    if (sessionId === undefined || interactionId === undefined)
      return accept({ status: 200, body: { suggestions: history.suggestions(isWanted) } });
    const state = registry.get(sessionId)?.state;
    const live = state && interactionOf(state, interactionId);
    // Answered meanwhile: nothing is left to be suggested.
    const ask = live?.decided === null ? live.requested.ask : undefined;
    const found = state && ask && history.suggestionFor(ask, state, isWanted);
    return accept({ status: 200, body: { suggestions: found === undefined ? [] : [found] } });
  },

  /** Only what is suggested now: what was denied since is no longer. */
  async acceptSuggestion(room, { suggestionId }, { actor: by }) {
    const suggestion = await suggested(room, suggestionId);
    if (suggestion === undefined) return refuse('suggestion_not_found');
    const { directory, toolName, subjectKind, pattern, literal } = suggestion;
    const id = GrantId.parse(room.ids.grant());
    await room.book.give({ id, toolName, pattern, literal, subjectKind, directory, by });
    return done;
  },

  async declineSuggestion(room, { suggestionId }, { actor: by }) {
    if ((await suggested(room, suggestionId)) === undefined) return refuse('suggestion_not_found');
    await room.book.decline(suggestionId, by);
    return done;
  },
} satisfies Partial<Handlers>;

async function suggested(room: Room, suggestionId: string): Promise<Suggestion | undefined> {
  await room.history.read();
  const isWanted = wantedIn(room);
  return room.history.suggestions((each) => each.id === suggestionId && isWanted(each))[0];
}

const wantedIn = ({ book }: Room): ((suggestion: Suggestion) => boolean) => {
  const { grants, declined } = book;
  return (suggestion) => !declined.has(suggestion.id) && !isGivenAlready(suggestion, grants);
};

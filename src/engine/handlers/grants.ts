import { directoryOf, offersFor, reachOf, warningsOf } from '../../model/grant-advice.ts';
import { canBeGranted, isInForce, subjectOf } from '../../model/grants.ts';
import { matches } from '../../model/pattern.ts';
import { interactionOf } from '../../model/status.ts';
import { interactionFromLog } from '../../model/views.ts';
import type { PreviewGrant } from '../../protocol/command.ts';
import { accept, refuse } from '../../protocol/errors.ts';
import type { GrantPreview } from '../../protocol/grant.ts';
import { GrantId } from '../../protocol/ids.ts';
import type { Ask, Subject } from '../../protocol/interaction.ts';
import { publicSuffixes } from '../public-suffix.ts';
import { done, type Handlers, type Room } from './room.ts';

const MOST_LOOKED_AT = 2000;
const MOST_MATCHES = 50;
const MOST_FILES = 5;

export const grantHandlers = {
  listGrants({ registry, book, clock }) {
    const now = clock.now();
    const grants = [...book.grants, ...registry.grantHolders().flatMap((holder) => holder.grants)];
    return accept({ status: 200, body: { grants: grants.filter((grant) => isInForce(grant, now)) } });
  },

  async revokeGrant({ registry, book }, input, { actor: by }) {
    const grantId = GrantId.parse(input.grantId);
    if (await book.revoke(grantId, by)) return done;
    const holder = registry.grantHolders().find(({ grants }) => grants.some((grant) => grant.id === grantId));
    const owner = holder && registry.get(holder.session.id);
    if (owner === undefined) return refuse('grant_not_found');
    const revoked = await owner.writer.command({ type: 'revoke-grant', grantId, by });
    return revoked.ok ? done : revoked;
  },

  /** What a pattern would have matched, newest first, and what it would match that was not asked for yet. */
  async previewGrant(room, input) {
    const { registry, log } = room;
    const { toolName, pattern } = input;
    const asks = log
      .findAsks(toolName, MOST_LOOKED_AT)
      .flatMap(({ stream, event }) => (event.type === 'interaction.requested' ? [{ stream, ...event }] : []))
      .filter(({ ask }) => canBeGranted(ask));
    const open = openAsk(room, input);
    const isLiteral = open !== undefined && pattern === subjectOf(open).value;
    const found = asks.filter(({ ask }) => matches(pattern, subjectOf(ask), isLiteral));
    const interactions = found.slice(0, MOST_MATCHES).flatMap(({ stream, interactionId }) => {
      const session = registry.view(stream);
      if (session === undefined) return [];
      return interactionFromLog(session, log.findByReference(stream, interactionId)) ?? [];
    });
    const subjects = asks.map(({ ask }) => subjectOf(ask));
    // Without an ask that is named, a pattern is read as for the tool's last one.
    const subject = open === undefined ? subjects.find(({ literal }) => literal !== true) : subjectOf(open);
    const asked = new Set(subjects.map(({ value }) => value));
    const body: GrantPreview = {
      matches: interactions,
      reach: subject === undefined ? { also: [], not: [] } : await reach(room, input, subject, asked),
      warnings: subject === undefined ? [] : warningsOf(pattern, subject, await publicSuffixes()),
      offers: open === undefined ? [] : offersFor(subjectOf(open), await publicSuffixes()),
    };
    return accept({ status: 200, body });
  },
} satisfies Partial<Handlers>;

function openAsk({ registry }: Room, { sessionId, interactionId }: PreviewGrant): Ask | undefined {
  const session = sessionId === undefined ? undefined : registry.get(sessionId);
  if (session === undefined || interactionId === undefined) return undefined;
  return interactionOf(session.state, interactionId)?.requested.ask;
}

/** Examples; for a directory of the session, the files that are there. */
async function reach(
  { registry, machines }: Room,
  { pattern, sessionId }: PreviewGrant,
  subject: Subject,
  asked: ReadonlySet<string>,
): Promise<GrantPreview['reach']> {
  const examples = reachOf(pattern, subject, (value) => asked.has(value));
  const session = sessionId === undefined ? undefined : registry.get(sessionId);
  if (subject.kind !== 'path' || examples.also.length === 0 || session === undefined) return examples;
  const { cwd, machine } = session.state;
  const found = await machines.ask(machine, async (runner) =>
    accept(
      await runner.filesBelow({ directory: directoryOf(pattern), cwd, readOnly: subject.readOnly === true }),
    ),
  );
  const files = found.ok ? found.value : undefined;
  if (files === undefined || files.paths.length === 0) return examples;
  const also = files.paths.filter((path) => matches(pattern, { ...subject, value: path }));
  const not = files.sensitive;
  return {
    also: also.filter((path) => !asked.has(path)).slice(0, MOST_FILES),
    not: not.slice(0, MOST_FILES),
    files: { also: also.length, not: not.length, isAll: files.isAll },
  };
}

import { visibleLine } from '../../model/suspicious-text.ts';
import type { Interaction } from '../../protocol/interaction.ts';
import type { Session, SessionStatus } from '../../protocol/session.ts';
import { columns } from './columns.ts';
import { age, counted, shortened } from './measures.ts';
import type { Paint, Tone } from './paint.ts';
import { oneLine } from './safe-text.ts';
import { shortIds } from './short-ids.ts';

export function sessionList(sessions: readonly Session[], now: number, paint: Paint): string[] {
  if (sessions.length === 0) return ['No sessions yet. "beckon new PROMPT" starts one.'];
  const ids = shortIds(sessions.map((session) => session.id));
  return columns(
    sessions.map((session, index) => [
      ids[index] ?? session.id,
      paint(tones[session.status], session.status),
      age(session.since, now),
      session.agent,
      oneLine(session.machine ?? ''),
      session.pendingCount > 0
        ? paint('yellow', `${session.pendingCount} open${session.held === undefined ? '' : ', held'}`)
        : '',
      session.queueLength > 0 ? `${session.queueLength} queued` : '',
      session.trust === undefined ? '' : paint('yellow', `trust ${timeLeft(session.trust.until, now)}`),
      `${shortened(oneLine(session.title), 60)}${session.key === null ? '' : paint('dim', ` (${oneLine(session.key)})`)}`,
    ]),
  );
}

/** "14 min", "40 s" */
function timeLeft(until: string, now: number): string {
  const seconds = Math.max(0, Math.ceil((Date.parse(until) - now) / 1000));
  return seconds < 60 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}

export function pendingList(
  pending: readonly Interaction[],
  sessions: readonly Session[],
  now: number,
  paint: Paint,
): string[] {
  if (pending.length === 0) return ['Nothing waits for you.'];
  const ids = shortIds(pending.map((interaction) => interaction.interactionId));
  return columns(
    pending.map((interaction, index) => {
      const session = sessions.find(({ id }) => id === interaction.sessionId);
      return [
        ids[index] ?? interaction.interactionId,
        paint('yellow', interaction.kind),
        age(interaction.createdAt, now),
        shortened(oneLine(session?.title ?? interaction.sessionId), 24),
        oneLine(session?.machine ?? ''),
        `${oneLine(interaction.tool?.name ?? interaction.toolName)}: ${shortened(subjectOf(interaction), 80)}${
          interaction.leftOpen === undefined ? '' : paint('dim', ' (the agent goes on)')
        }`,
      ];
    }),
  );
}

function subjectOf(interaction: Interaction): string {
  const questions = interaction.questions ?? [];
  if (questions.length > 0) {
    const more = questions.length > 1 ? ` (+${counted(questions.length - 1, 'question')})` : '';
    return oneLine(questions[0]?.question ?? '') + more;
  }
  const { subject, title, kind } = interaction;
  return kind === 'approval' ? visibleLine(subject?.value ?? title) : oneLine(title);
}

const tones: Record<SessionStatus, Tone> = {
  starting: 'cyan',
  running: 'cyan',
  waiting: 'yellow',
  idle: 'green',
  asleep: 'dim',
  stopped: 'dim',
  failed: 'red',
};

import { Circle, CircleDashed, CircleX, Hand, type LucideIcon, Moon, Square } from 'lucide-react';
import type { Session, SessionStatus } from '../../protocol/session.ts';
import type { Conversation } from '../conversation/conversation.logic.ts';
import { useT } from '../i18n/i18n.ts';
import { cx } from '../ui/class-names.ts';
import { Time } from '../ui/time.tsx';
import { type Tone, toneMark, toneText } from '../ui/tone.ts';
import { activityOf } from './activity.logic.ts';

/** "Running npm test · 12 s": what the session does, and for how long. */
export function ActivityLine({
  session,
  conversation,
}: {
  readonly session: Session;
  readonly conversation?: Conversation | undefined;
}) {
  const t = useT();
  const activity = activityOf(session, conversation);
  return (
    <div className={cx('flex min-w-0 items-center gap-1.5 text-xs', toneText[toneOfStatus[session.status]])}>
      <StatusMark status={session.status} />
      <span className="min-w-0 truncate">
        {activity.is === 'phrase' ? (
          t(`activity.${activity.phrase}`)
        ) : (
          <>
            {t(`tool.${activity.verb}.running`)} <code className="font-mono">{activity.subject}</code>
          </>
        )}
      </span>
      <span aria-hidden className="opacity-60">
        ·
      </span>
      <Time at={session.since} className="shrink-0" />
    </div>
  );
}

const toneOfStatus: Readonly<Record<SessionStatus, Tone>> = {
  waiting: 'you',
  running: 'work',
  starting: 'work',
  idle: 'neutral',
  asleep: 'neutral',
  stopped: 'neutral',
  failed: 'fail',
};

const icons: Readonly<Record<Exclude<SessionStatus, 'running'>, LucideIcon>> = {
  waiting: Hand,
  starting: CircleDashed,
  idle: Circle,
  asleep: Moon,
  stopped: Square,
  failed: CircleX,
};

/** A status as a shape of its own; the word stands beside it. */
export function StatusMark({ status }: Pick<Session, 'status'>) {
  const tone = toneMark[toneOfStatus[status]];
  if (status === 'running') {
    return (
      <span aria-hidden className={cx('inline-flex size-3.5 shrink-0 items-center justify-center', tone)}>
        <span className="size-2 animate-breathe rounded-full bg-current" />
      </span>
    );
  }
  const Icon = icons[status];
  return <Icon aria-hidden className={cx('size-3.5 shrink-0', tone)} strokeWidth={2.25} />;
}

import type { Session } from '../../protocol/session.ts';
import type { Conversation } from '../conversation/conversation.logic.ts';
import { useT } from '../i18n/i18n.ts';
import { cx } from '../ui/class-names.ts';
import { Time } from '../ui/time.tsx';
import { toneText } from '../ui/tone.ts';
import { activityOf } from './activity.logic.ts';
import { StatusMark, toneOfStatus } from './status-mark.tsx';

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

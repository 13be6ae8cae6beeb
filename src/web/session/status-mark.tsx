import { Circle, CircleDashed, CircleX, Hand, type LucideIcon, Moon, Square } from 'lucide-react';
import type { Session, SessionStatus } from '../../protocol/session.ts';
import { cx } from '../ui/class-names.ts';
import { type Tone, toneMark } from '../ui/tone.ts';

export const toneOfStatus: Readonly<Record<SessionStatus, Tone>> = {
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

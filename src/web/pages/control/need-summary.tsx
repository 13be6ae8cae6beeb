import { useRoom } from '../../data/room-context.tsx';
import { useT } from '../../i18n/i18n.ts';
import { type Need, needOf } from '../../session/need.logic.ts';
import { type Tone, toneText } from '../../ui/tone.ts';

const tones: Readonly<Record<'needs-you' | 'working' | 'idle', Tone>> = {
  'needs-you': 'you',
  working: 'work',
  idle: 'neutral',
};

/** "2 need you · 3 working": the answer to the glance. */
export function NeedSummary() {
  const t = useT();
  const counts = useRoom((room) => {
    const count = (need: Need): number =>
      Object.values(room.sessions).filter((each) => needOf(each) === need && each.archived !== true).length;
    return `${count('needs-you')} ${count('working')} ${count('idle')}`;
  }).split(' ');
  const shown = (['needs-you', 'working', 'idle'] as const)
    .map((need, at) => ({ need, count: Number(counts[at]) }))
    .filter(({ count }) => count > 0);
  return (
    <p className="flex flex-wrap gap-x-3 text-sm">
      {shown.map(({ need, count }) => (
        <span key={need} className={toneText[tones[need]]}>
          {t(`summary.${need}`, { count })}
        </span>
      ))}
    </p>
  );
}

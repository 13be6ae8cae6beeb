/** What a colour says. Never alone: an icon and a word say it, too. */
export type Tone = 'you' | 'work' | 'done' | 'fail' | 'neutral';

export const toneText: Readonly<Record<Tone, string>> = {
  you: 'text-you-ink',
  work: 'text-work-ink',
  done: 'text-done-ink',
  fail: 'text-fail-ink',
  neutral: 'text-faint',
};

export const toneMark: Readonly<Record<Tone, string>> = {
  you: 'text-you',
  work: 'text-work',
  done: 'text-done',
  fail: 'text-fail',
  neutral: 'text-faint',
};

export const toneChip: Readonly<Record<Tone, string>> = {
  you: 'bg-you-tint text-you-ink inset-ring inset-ring-you-edge',
  work: 'bg-work-tint text-work-ink inset-ring inset-ring-work-edge',
  done: 'bg-done-tint text-done-ink inset-ring inset-ring-done-edge',
  fail: 'bg-fail-tint text-fail-ink inset-ring inset-ring-fail-edge',
  neutral: 'bg-sunken text-soft',
};

import type { review as english } from '../en/review.ts';

export const review: Readonly<Record<keyof typeof english, string>> = {
  'review.sent_one': '{count} Kommentar zu den Änderungen',
  'review.sent_other': '{count} Kommentare zu den Änderungen',
  'review.before': 'vor der Änderung',
};

export const review = {
  'review.sent_one': '{count} comment on the changes',
  'review.sent_other': '{count} comments on the changes',
  'review.before': 'before the change',
} as const;

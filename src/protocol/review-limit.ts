/** So many characters a comment may have, and so many of the lines it is about are kept with it. */
export const longestComment = 20_000;
export const longestQuote = 4000;
/** So many comments a session may have as drafts, and so many characters in all of them. */
export const mostComments = 500;
export const mostCommentText = 1_000_000;
/** So many files are remembered as seen in a session; the oldest marks go first. */
export const mostSeenFiles = 5000;

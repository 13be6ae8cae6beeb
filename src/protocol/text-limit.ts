/** So many characters a message, a prompt and a description may have. */
export const longestText = 4_000_000;

/** The header by which an agent's driver tells, in milliseconds, how long the agent waits for a tool before it gives up on it. */
export const toolLimitHeader = 'x-beckon-tool-limit';

/** The header by which an agent's driver tells, in milliseconds, how long the agent waits for a tool before it gives up on it. */
export const toolLimitHeader = 'x-beckon-tool-limit';

/** The header by which it tells what some tools are called for this agent, as it has their names for itself: `ask_user=ask_person`. */
export const toolNamesHeader = 'x-beckon-tool-names';

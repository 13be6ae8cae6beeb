/** The name under which agents know our interactive tools: they put it before theirs. */
export const toolServerName = 'beckon';

/** A tool of ours as agents call it. */
export const nameToAgents = (tool: string): string => `mcp__${toolServerName}__${tool}`;

/** How long a call to it may take: a tool that asks a person must outlast the person's lunch. */
export const toolPatienceMs = 7 * 24 * 60 * 60 * 1000;

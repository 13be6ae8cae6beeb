/** What a tool's own tests import, as `beckon/tools/testing`. */
export type { PersonResponse } from './memory-desk.ts';
export { type Prompt, type Reaction, type RunToolOptions, runTool, type ToolTrial } from './run-tool.ts';

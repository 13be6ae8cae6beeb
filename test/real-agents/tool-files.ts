import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

/** The examples of the guide, and tools for each way in which a call can end. */
export const example = (name: string): string => join(root, 'examples/tools', name);
export const drills = join(root, 'test/fixtures/tools/drills.ts');

/** The name under which an agent knows a tool of Beckon's. */
export const ours = (tool: string): string => `mcp__beckon__${tool}`;

/**
 * What a model reads of a call that waited when the server was killed. A program that had not begun to listen does not
 * take up the call again, and has its own words for that.
 */
export const cutOff = /will reach you as a message|connection closed before the tool call was answered/;

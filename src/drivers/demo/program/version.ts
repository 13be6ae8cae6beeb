/** The version of Claude Code whose wire the demo agent speaks. */
export const VERSION = '2.1.325';

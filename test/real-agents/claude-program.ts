import { join } from 'node:path';

export interface ClaudeProgram {
  readonly label: 'new' | 'old';
  readonly version: string;
  readonly path: string;
}

/** The two versions of Claude Code that every behaviour is tried on. */
export function claudePrograms(): readonly ClaudeProgram[] {
  return [
    { label: 'new', version: '2.1.325', path: programPath('claude-new') },
    { label: 'old', version: '2.1.197', path: programPath('claude-old') },
  ];
}

/** An environment in which the program talks to the stand-in alone, and reads no one's settings. */
export function claudeEnvironment(options: { baseUrl: string; home: string }): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    HOME: options.home,
    TMPDIR: options.home,
    LANG: 'C.UTF-8',
    SHELL: '/bin/bash',
    ANTHROPIC_BASE_URL: options.baseUrl,
    ANTHROPIC_API_KEY: 'dummy',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_ERROR_REPORTING: '1',
    // The program refuses the bypass mode as root unless it believes itself in a sandbox.
    ...(process.getuid?.() === 0 ? { IS_SANDBOX: '1' } : {}),
  };
}

function programPath(alias: string): string {
  return join(import.meta.dirname, 'node_modules', alias, 'bin', 'claude.exe');
}

import { existsSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelRequest } from '../real-agents/model-request.ts';
import { geminiWire } from './gemini-wire.ts';
import { plainEnvironment, program, type RealAgent } from './real-agent.ts';

/** Gemini CLI with a key for its API. Without trust in the directory it takes no tools and only its mode `default`. */
export const gemini: RealAgent = {
  agent: { name: 'gemini', label: 'Gemini CLI', command: program('gemini'), args: ['--acp'] },
  dialect: geminiWire,
  environment: ({ baseUrl, home }) => ({
    ...plainEnvironment(home),
    GEMINI_API_KEY: 'dummy',
    GOOGLE_GEMINI_BASE_URL: baseUrl,
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
    // Else it asks a second model which model to ask.
    GEMINI_MODEL: 'gemini-2.5-pro',
  }),
};

/**
 * Puts the conversations years back. Taken up again within the minute in which it began, one is lost by the program: it begins a
 * file of the same name over it.
 */
export function forgetMinute(home: string): void {
  const folder = join(home, '.gemini/tmp/work/chats');
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder))
    renameSync(join(folder, name), join(folder, name.replace(/-\d{4}-/, '-2020-')));
}

/** Where it wants a plan to be written, which it tells its model alone. */
export const plansFolder = ({ body }: ModelRequest): string =>
  /directory: (\/\S+\/plans)\//.exec(JSON.stringify(body))?.[1] ?? '';

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

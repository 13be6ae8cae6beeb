import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ModelAccess } from '../real-agents/workplace.ts';
import { chatWire } from './chat-wire.ts';
import { plainEnvironment } from './real-agent.ts';

/** Agents that are recorded and not installed for the tests: how each finds its model without an account. */
export const recordedAgents = {
  copilot: {
    dialect: chatWire,
    environment: ({ baseUrl, home }) => ({
      ...plainEnvironment(home),
      COPILOT_PROVIDER_BASE_URL: `${baseUrl}/v1`,
      COPILOT_MODEL: 'stand-in',
      COPILOT_OFFLINE: 'true',
      COPILOT_AUTO_UPDATE: 'false',
    }),
  },
  kimi: {
    dialect: chatWire,
    environment({ baseUrl, home }) {
      const provider = `[providers.standin]\ntype = "openai"\nbase_url = "${baseUrl}/v1"\napi_key = "dummy"`;
      const model = `[models.standin]\nprovider = "standin"\nmodel = "stand-in"\nmax_context_size = 200000`;
      put(
        home,
        '.kimi-code/config.toml',
        `default_model = "standin"\ntelemetry = false\n${provider}\n${model}\n`,
      );
      return plainEnvironment(home);
    },
  },
  cline: {
    dialect: chatWire,
    environment: ({ baseUrl, home }) => ({
      ...plainEnvironment(home),
      CLINE_PROVIDER: 'cline',
      CLINE_API_KEY: 'dummy',
      CLINE_API_BASE_URL: baseUrl,
    }),
  },
  pi: {
    dialect: chatWire,
    environment({ baseUrl, home }) {
      const compat = { supportsDeveloperRole: false, supportsReasoningEffort: false };
      const api = { baseUrl: `${baseUrl}/v1`, api: 'openai-completions', apiKey: 'dummy', compat };
      const providers = { standin: { ...api, models: [{ id: 'stand-in' }, { id: 'other' }] } };
      put(home, '.pi/agent/models.json', JSON.stringify({ providers }));
      const settings = { defaultProvider: 'standin', defaultModel: 'stand-in' };
      put(home, '.pi/agent/settings.json', JSON.stringify(settings));
      return { ...plainEnvironment(home), PI_OFFLINE: '1' };
    },
  },
} satisfies Record<string, ModelAccess>;

function put(home: string, path: string, content: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), content);
}

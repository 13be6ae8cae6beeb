import { messagesWire } from '../real-agents/messages-wire.ts';
import { plainEnvironment, program, type RealAgent } from './real-agent.ts';

/** opencode with a provider of its own. It asks only where it is told to. */
export const opencode: RealAgent = {
  agent: { name: 'opencode', label: 'opencode', command: program('opencode'), args: ['acp'] },
  dialect: messagesWire,
  environment: ({ baseUrl, home }) => ({
    ...plainEnvironment(home),
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_CONFIG_CONTENT: JSON.stringify({
      share: 'disabled',
      model: 'standin/scripted',
      small_model: 'standin/scripted',
      permission: { bash: 'ask', edit: 'ask', webfetch: 'ask' },
      provider: {
        standin: {
          npm: '@ai-sdk/anthropic',
          name: 'Stand-in',
          options: { baseURL: `${baseUrl}/v1`, apiKey: 'dummy' },
          models: {
            scripted: { name: 'Scripted', cost: { input: 1000, output: 1000 }, limit },
            other: { name: 'Other', limit },
          },
        },
      },
    }),
  }),
};

const limit = { context: 200_000, output: 8_000 };

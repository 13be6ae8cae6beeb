import { plainEnvironment, program, type RealAgent } from './real-agent.ts';
import { responsesWire } from './responses-wire.ts';

/** Codex by its adapter, with a service of models of its own. The model is one it knows, so that it offers all its tools. */
export const codex: RealAgent = {
  agent: { name: 'codex', label: 'Codex', command: program('codex-acp'), args: [] },
  dialect: responsesWire,
  environment: ({ baseUrl, home }) => ({
    ...plainEnvironment(home),
    CODEX_HOME: home,
    NO_BROWSER: '1',
    CODEX_CONFIG: JSON.stringify({
      model: 'gpt-5.5',
      model_provider: 'standin',
      model_providers: {
        standin: {
          name: 'Stand-in',
          base_url: `${baseUrl}/v1`,
          wire_api: 'responses',
          request_max_retries: 0,
          stream_max_retries: 0,
        },
      },
    }),
  }),
};

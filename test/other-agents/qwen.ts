import { chatWire } from './chat-wire.ts';
import { plainEnvironment, program, type RealAgent } from './real-agent.ts';

/** Qwen Code with a service that speaks as OpenAI's does. */
export const qwen: RealAgent = {
  agent: { name: 'qwen', label: 'Qwen Code', command: program('qwen'), args: ['--acp'] },
  dialect: chatWire,
  environment: ({ baseUrl, home }) => ({
    ...plainEnvironment(home),
    OPENAI_API_KEY: 'dummy',
    OPENAI_BASE_URL: `${baseUrl}/v1`,
    OPENAI_MODEL: 'stand-in',
  }),
};

import { describe, expect } from 'vitest';
import { capability } from './capabilities.ts';
import { codex } from './codex.ts';
import { gemini } from './gemini.ts';
import { qwen } from './qwen.ts';
import { type RealAgent, roomWith } from './real-agent.ts';

interface SignedOut {
  readonly real: RealAgent;
  /** What gives it a key, or a service that needs none. */
  readonly without: readonly string[];
  /** Its own words, and how to sign in. */
  readonly words: readonly string[];
}

const agents: readonly SignedOut[] = [
  {
    real: gemini,
    without: ['GEMINI_API_KEY', 'GOOGLE_GEMINI_BASE_URL'],
    words: ['Gemini API key is missing', 'Log in with Google'],
  },
  {
    real: qwen,
    without: ['OPENAI_API_KEY'],
    words: ['Use Qwen Code CLI to authenticate first', 'OPENAI_API_KEY'],
  },
  { real: codex, without: ['CODEX_CONFIG'], words: ['Authentication required', 'codex login'] },
];

for (const { real, without, words } of agents)
  describe(real.agent.label, () => {
    const environment: RealAgent['environment'] = (options) =>
      Object.fromEntries(
        Object.entries(real.environment(options)).filter(([variable]) => !without.includes(variable)),
      );
    const room = roomWith({ ...real, environment });

    capability('authentication', real.agent.name, async () => {
      const session = await room.start('hello');
      const { reason } = await session.watch.event('session.failed');
      for (const each of words) expect(reason).toContain(each);
    });
  });

capability.cannot('authentication', 'opencode', 'It starts without: it has models that need no account.');

import { acpClaudeConfig } from './acp-claude.ts';
import { freshRoom } from './room.ts';
import { takeoverSuite } from './takeover-suite.ts';

takeoverSuite(
  freshRoom({
    agent: 'claude-acp',
    server: async (folder) => ({ args: ['--config', await acpClaudeConfig(folder)] }),
  }),
);

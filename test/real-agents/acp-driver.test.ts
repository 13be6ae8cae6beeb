import { acpDriver } from '../../src/drivers/acp/driver.ts';
import { acpClaude } from './acp-claude.ts';
import { claudeContract } from './claude-contract.ts';

claudeContract(
  'Claude Code by ACP',
  (surroundings) => acpDriver({ ...surroundings, version: '0.0.0', agent: acpClaude() }),
  // The adapter offers to bypass all asking where the program takes itself for sandboxed.
  { otherModel: 'haiku', refusedModes: ['nonsense'] },
);

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AcpAgent } from '../../src/drivers/acp/known-agents.ts';
import { claudePrograms } from './claude-program.ts';

/** Claude Code behind its adapter to the Agent Client Protocol, which runs the newer of the two programs. */
export function acpClaude(): AcpAgent {
  const [program] = claudePrograms();
  const adapter = join(
    import.meta.dirname,
    'node_modules/@agentclientprotocol/claude-agent-acp/dist/index.js',
  );
  return {
    name: 'claude-acp',
    label: 'Claude Code (ACP)',
    command: process.execPath,
    args: [adapter],
    env: { CLAUDE_CODE_EXECUTABLE: program?.path ?? 'claude' },
  };
}

/** Writes a configuration with which a server knows of it. */
export async function acpClaudeConfig(folder: string): Promise<string> {
  const { name, label, command, args, env } = acpClaude();
  const file = join(folder, 'config.json');
  await writeFile(file, JSON.stringify({ agents: { [name]: { driver: 'acp', label, command, args, env } } }));
  return file;
}

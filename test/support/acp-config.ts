import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const program = resolve(import.meta.dirname, 'acp-agent/main.ts');

/** How a configuration names the scripted agent of the Agent Client Protocol; it keeps its notes in `home`. */
export const acpAgent = (home: string, ...flags: string[]) => ({
  driver: 'acp',
  command: process.execPath,
  args: ['--no-warnings', program, ...flags],
  env: { ACP_AGENT_HOME: home },
});

/** For `--config`: a file in the folder that names the agent `scripted`, and others. */
export async function writeAcpConfig(folder: string, others: object = {}): Promise<string> {
  const path = join(folder, 'config.json');
  const scripted = acpAgent(join(folder, 'home'));
  await writeFile(path, JSON.stringify({ agents: { scripted, ...others } }));
  return path;
}

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentStart, Report, ToolAccess } from '../../runner/ports/agent-driver.ts';
import { notice } from '../facts.ts';
import { namesIn } from '../process/run-directory.ts';
import { toolServerName } from '../tool-server.ts';
import type { ClaudeSettings } from './arguments.ts';

/** A disk that refuses must not keep the agent from working: then it works without the tools. */
export function offerTools(
  directory: string | undefined,
  { tools, processId }: AgentStart,
  report: Report,
): ClaudeSettings['tools'] {
  if (tools === null || directory === undefined) return null;
  try {
    return { configFile: writeToolConfig(directory, processId, tools), unasked: tools.unasked };
  } catch (error) {
    const text = `The agent starts without the interactive tools: ${error instanceof Error ? error.message : error}`;
    queueMicrotask(() => report([notice('warning', 'tools-missing', text)]));
    return null;
  }
}

/** The key is needed for as long as the agent lives, also when it outlives this server. */
export function offeredUntilExit(
  directory: string | undefined,
  { processId }: AgentStart,
  report: Report,
): Report {
  return (facts, mark) => {
    report(facts, mark);
    if (directory !== undefined && facts.some(({ type }) => type === 'exited'))
      removeToolConfig(directory, processId);
  };
}

/** A file only its owner can read: arguments and environment of a process can be seen by others, and this holds a key. */
export function writeToolConfig(directory: string, processId: string, { url, key }: ToolAccess): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const path = configPath(directory, processId);
  const server = { type: 'http', url, headers: { Authorization: `Bearer ${key}` } };
  const text = JSON.stringify({ mcpServers: { [toolServerName]: server } }, null, 2);
  rmSync(path, { force: true });
  writeFileSync(path, `${text}\n`, { mode: 0o600, flag: 'wx' });
  return path;
}

export function removeToolConfig(directory: string, processId: string): void {
  try {
    rmSync(configPath(directory, processId), { force: true });
  } catch {
    // It stays until the next start, which clears what no process needs.
  }
}

/** Removes what a killed server left, but for the runs that live on: they may read theirs again. */
export function clearToolConfigs(directory: string, runs: readonly string[]): void {
  const needed = new Set(runs.map(configName));
  for (const name of namesIn(directory))
    if (name.endsWith('.json') && !needed.has(name)) rmSync(join(directory, name), { force: true });
}

const configName = (processId: string): string => `${encodeURIComponent(processId)}.json`;
const configPath = (directory: string, processId: string): string => join(directory, configName(processId));

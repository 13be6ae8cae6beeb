import { randomUUID } from 'node:crypto';
import type { Flags } from './flags.ts';
import type { Hook } from './hooks.ts';
import type { JsonObject } from './json.ts';
import type { McpServers } from './mcp/mcp-servers.ts';
import { type Permission, type PermissionMode, setMode } from './permission.ts';
import type { Requests } from './requests.ts';
import type { SessionMemory } from './session-memory.ts';
import type { Wire } from './wire.ts';

export const DEFAULT_MODEL = 'beckon-demo';

/** Everything that lives as long as the process does. */
export interface Session {
  readonly id: string;
  readonly cwd: string;
  readonly flags: Flags;
  readonly wire: Wire;
  readonly requests: Requests;
  readonly mcp: McpServers;
  readonly memory: SessionMemory;
  readonly permission: Permission;
  /** Milliseconds between the words of a streamed text. */
  readonly pace: number;
  /** Leaders of the process groups of commands that run. */
  readonly commands: Set<number>;
  readonly totals: {
    costUsd: number;
    apiMs: number;
    inputTokens: number;
    outputTokens: number;
    results: number;
  };
  model: string;
  /** How many messages came that it had already. */
  repeatedMessages: number;
  hooks: readonly Hook[];
  /** A rehearsal of a program that hears no interrupt. */
  deaf: boolean;
  /** A rehearsal of a program that survives the end of its input. */
  lingers: boolean;
}

/** Sends a line that carries the session's id and a uuid of its own. */
export function sendLine(session: Session, line: JsonObject): Promise<void> {
  return session.wire.send({ ...line, session_id: session.id, uuid: line.uuid ?? randomUUID() });
}

/** Switches the mode and says so, as the real program does when it changed. */
export async function changeMode(session: Session, mode: PermissionMode): Promise<void> {
  if (session.permission.mode === mode) return;
  setMode(session.permission, mode);
  await announceMode(session);
}

export function announceMode(session: Session): Promise<void> {
  const permissionMode = session.permission.mode;
  return sendLine(session, { type: 'system', subtype: 'status', status: null, permissionMode });
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Engine, openEngine, randomIds, systemClock } from '../../src/engine/index.ts';
import type { EventLog } from '../../src/engine/ports/event-log.ts';
import type { SessionId } from '../../src/protocol/ids.ts';
import type { Ask, Decision } from '../../src/protocol/interaction.ts';
import type { Agent } from '../../src/protocol/session.ts';
import type { AgentDriver, AgentFact } from '../../src/runner/ports/agent-driver.ts';
import { memoryLog } from '../support/memory-log.ts';
import { runnerOf } from '../support/runner-of.ts';
import { templatesInMemory } from '../support/templates-in-memory.ts';

/** The real engine with an agent that says what a test tells it to say. */
export interface ScriptedRoom {
  readonly room: Engine;
  newSession(fields?: Record<string, unknown>): Promise<ScriptedSession>;
  close(): Promise<void>;
}

export interface ScriptedSession {
  readonly id: SessionId;
  readonly decisions: readonly Decision[];
  report(facts: readonly AgentFact[]): void;
  /** Says texts that are stored, each as an event of its own. */
  say(texts: readonly string[]): void;
  /** Says fragments that are not stored. */
  murmur(fragments: readonly string[], block?: number): void;
  ask(ask: Partial<Ask>): void;
}

export async function scriptedRoom(log: EventLog = memoryLog()): Promise<ScriptedRoom> {
  const directory = mkdtempSync(path.join(tmpdir(), 'beckon-server-'));
  const running = new Map<SessionId, (facts: readonly AgentFact[]) => void>();
  const decisions = new Map<SessionId, Decision[]>();
  const driver = scriptedDriver(running, decisions);
  const room = await openEngine({
    log,
    runner: runnerOf([driver], { raw: '{"type":"result"}\n' }),
    templates: templatesInMemory(),
    env: { save: async () => undefined, load: () => ({}), remove: async () => undefined },
    clock: systemClock,
    ids: randomIds,
    logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
    settings: {
      defaultCwd: directory,
      roots: [],
      mostProcesses: 1000,
      idleMs: 1e9,
      askTimeout: null,
      deferAsksMs: null,
      recordingMs: 2000,
    },
  });

  return {
    room,
    async newSession(fields = {}) {
      const created = await room.dispatch('createSession', fields, { actor: { kind: 'person' } });
      if (!created.ok) throw new Error(created.refusal.message);
      const { id } = created.value.body.session as { id: SessionId };
      await statusOf(room, id, 'idle');
      let messages = 0;
      const report = (facts: readonly AgentFact[]): void => running.get(id)?.(facts);
      return {
        id,
        decisions: decisions.get(id) ?? [],
        report,
        say(texts) {
          messages += 1;
          const agentMessageId = `m${messages}`;
          report(
            texts.map((text, block) => ({
              type: 'said',
              event: { type: 'agent.text', agentMessageId, block, text },
            })),
          );
        },
        murmur(fragments, block = 0) {
          report(
            fragments.map((text) => ({
              type: 'delta',
              delta: { messageId: 'live', block, kind: 'text', text },
            })),
          );
        },
        ask(ask) {
          report([{ type: 'asked', ask: { ...someAsk, ...ask } }]);
        },
      };
    },
    async close() {
      await room.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const someAsk: Ask = {
  kind: 'approval',
  agentRequestId: 'request-1',
  toolName: 'Bash',
  toolCallId: 'call-1',
  title: 'Run a command',
  input: { command: 'ls' },
};

/** Resolves when the session is seen in the status. */
function statusOf(room: Engine, id: SessionId, status: string): Promise<void> {
  return new Promise((resolve) => {
    const look = (): boolean => {
      const now = room.snapshot(id);
      return now.ok && now.value.session.status === status;
    };
    if (look()) return resolve();
    const stop = room.listen(() => {
      if (!look()) return;
      stop();
      resolve();
    });
  });
}

const capabilities: Agent['capabilities'] = {
  steer: false,
  interrupt: true,
  images: true,
  resume: true,
  setModel: true,
  permissionModes: ['default'],
  editInput: true,
  denyReason: true,
};

function scriptedDriver(
  running: Map<SessionId, (facts: readonly AgentFact[]) => void>,
  decisions: Map<SessionId, Decision[]>,
): AgentDriver {
  return {
    name: 'demo',
    label: 'Scripted',
    probe: async () => ({ name: 'demo', label: 'Scripted', available: true, capabilities }),
    start({ sessionId }, report) {
      running.set(sessionId, report);
      const decided: Decision[] = [];
      decisions.set(sessionId, decided);
      queueMicrotask(() => report([{ type: 'ready', agentSessionId: 'a', version: '1', capabilities }]));
      return {
        async send({ messageId }) {
          report([{ type: 'message-taken', messageId }, { type: 'turn-started' }]);
        },
        async answer(_ask, decision) {
          decided.push(decision);
          return { ok: true };
        },
        async interrupt() {
          report([{ type: 'turn-ended', outcome: 'interrupted' }]);
        },
        setPermissionMode: async () => undefined,
        setModel: async () => undefined,
        async close() {
          running.delete(sessionId);
          report([{ type: 'exited', code: 0, signal: null, stderr: [] }]);
        },
        pause: () => undefined,
        resume: () => undefined,
      };
    },
  };
}

import { advance } from '../../src/model/advance.ts';
import type { Context, SessionCommand } from '../../src/model/command.ts';
import { decide } from '../../src/model/decide.ts';
import { fold } from '../../src/model/fold.ts';
import type { StoredFact } from '../../src/model/observe.ts';
import { observe } from '../../src/model/observe.ts';
import type { SessionState } from '../../src/model/state.ts';
import type { Refusal } from '../../src/protocol/errors.ts';
import type { Event, NewEvent, NewEventOf } from '../../src/protocol/event.ts';
import type { Grant } from '../../src/protocol/grant.ts';
import { MessageId, SessionId } from '../../src/protocol/ids.ts';
import type { Actor, Ask } from '../../src/protocol/interaction.ts';
import type { Capabilities } from '../../src/protocol/session.ts';

export const person: Actor = { kind: 'person', where: 'test' };

export const capabilities: Capabilities = {
  steer: true,
  interrupt: true,
  images: true,
  resume: true,
  setModel: true,
  permissionModes: ['default', 'plan'],
  editInput: true,
  denyReason: true,
};

export const bashAsk = (request: string, command: string, more: Partial<Ask> = {}): Ask => ({
  kind: 'approval',
  agentRequestId: request,
  toolName: 'Bash',
  toolCallId: `call-${request}`,
  title: `Run ${command}`,
  input: { command },
  subject: { kind: 'command', value: command },
  ...more,
});

/** A session played without any I/O: commands and facts go in, the log and the state come out. */
export class PlayedSession {
  readonly log: Event[] = [];
  readonly refusals: Refusal[] = [];
  globalGrants: Grant[] = [];
  #minted = 0;
  #clock = Date.parse('2026-01-01T00:00:00Z');
  state: SessionState;

  constructor(settings: Partial<NewEventOf<'session.created'>> = {}) {
    const created: NewEvent = {
      type: 'session.created',
      sessionId: SessionId.parse('ses_1'),
      agent: 'demo',
      cwd: '/work',
      title: 'A session',
      key: null,
      permissionMode: null,
      model: null,
      labels: [],
      askTimeout: null,
      ephemeral: false,
      closeAfterTurn: false,
      by: person,
      ...settings,
    };
    const event = { ...created, seq: 1, at: this.now() } as Event;
    this.log.push(event);
    this.state = fold(null, event);
  }

  now(): string {
    return new Date(this.#clock).toISOString();
  }

  pass(milliseconds: number): void {
    this.#clock += milliseconds;
  }

  command(command: SessionCommand): Refusal | undefined {
    const result = decide(this.state, command, this.#context());
    if (!result.ok) {
      this.refusals.push(result.refusal);
      return result.refusal;
    }
    for (const event of result.value.global ?? []) {
      if (event.type === 'grant.created') this.globalGrants.push(event.grant);
    }
    this.#apply(result.value.events);
    return undefined;
  }

  fact(fact: StoredFact): void {
    this.#apply(observe(this.state, fact, this.#context()));
  }

  /** Brings the agent up, ready for messages. */
  up(processId = 'run_1'): this {
    this.command({ type: 'start-process', processId });
    this.fact({ type: 'ready', agentSessionId: 'agent-1', version: '1', capabilities });
    return this;
  }

  send(
    text: string,
    disposition: 'auto' | 'queue' | 'interrupt' | 'steer' = 'auto',
    replace = false,
  ): string {
    const messageId = MessageId.parse(`m${this.#minted++}`);
    this.command({
      type: 'send',
      messageId,
      text,
      images: [],
      disposition,
      replace,
      clientMessageId: null,
      by: person,
    });
    return messageId;
  }

  types(): string[] {
    return this.log.map((event) => event.type);
  }

  #context(): Context {
    return { at: this.now(), mint: (kind) => `${kind}_${this.#minted++}`, grants: this.globalGrants };
  }

  #apply(events: readonly NewEvent[]): void {
    for (const event of events) this.#fold(event);
    for (let next = advance(this.state); next.length > 0; next = advance(this.state)) {
      for (const event of next) this.#fold(event);
    }
  }

  #fold(event: NewEvent): void {
    const stored = { ...event, seq: this.state.lastSeq + 1, at: this.now() } as Event;
    this.log.push(stored);
    this.state = fold(this.state, stored);
  }
}

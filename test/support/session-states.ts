import type { ToolAsk } from '../../src/engine/ports/tool-desk.ts';
import { advance } from '../../src/model/advance.ts';
import type { Context, Response, SessionCommand } from '../../src/model/command.ts';
import { decide } from '../../src/model/decide.ts';
import { fold } from '../../src/model/fold.ts';
import type { StoredFact } from '../../src/model/observe.ts';
import { observe } from '../../src/model/observe.ts';
import { valuesOf } from '../../src/model/ordered-map.ts';
import type { HeldRule } from '../../src/model/policy.ts';
import type { SessionState } from '../../src/model/state.ts';
import type { Refusal } from '../../src/protocol/errors.ts';
import type { Event, EventOf, EventType, NewEvent, NewEventOf } from '../../src/protocol/event.ts';
import type { Grant } from '../../src/protocol/grant.ts';
import { GrantId, InteractionId, MessageId, SessionId } from '../../src/protocol/ids.ts';
import type { Actor, Ask, Form } from '../../src/protocol/interaction.ts';
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

/** What an interactive tool asks: an approval, or with `kind: 'form'` something to fill in. */
export const deployAsk = (more: Partial<ToolAsk> = {}): ToolAsk => ({
  kind: 'approval',
  toolName: 'mcp__beckon__deploy',
  toolCallId: 'toolu_1',
  title: 'Deploy to production?',
  input: { target: 'production' },
  tool: { name: 'deploy', callId: 'toolu_1', attempt: 1 },
  ...more,
});

export const emailForm: Form = {
  message: 'Whom should I write to?',
  fields: [{ id: 'email', type: 'text', label: 'E-mail', required: true, format: 'email' }],
  presentation: 'tool',
};

/** A person's yes, with what a caller may add to it. */
export const allow = (
  more: Partial<Extract<Response, { type: 'allow' }>> = {},
): Extract<Response, { type: 'allow' }> => ({
  type: 'allow',
  grantId: GrantId.parse('grant_1'),
  scope: undefined,
  pattern: undefined,
  expiresAt: undefined,
  updatedInput: undefined,
  mode: undefined,
  ...more,
});

/** A session played without any I/O: commands and facts go in, the log and the state come out. */
export class PlayedSession {
  readonly log: Event[] = [];
  readonly refusals: Refusal[] = [];
  globalGrants: Grant[] = [];
  globalRules: readonly HeldRule[] = [];
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
    if (result.value.grant !== undefined) this.globalGrants.push(result.value.grant);
    this.#apply(result.value.events);
    return undefined;
  }

  fact(fact: StoredFact): void {
    this.#apply(observe(this.state, fact, this.#context()));
  }

  /** Facts of one read: what the session does by itself comes after the last. */
  facts(...facts: readonly StoredFact[]): void {
    for (const fact of facts.slice(0, -1)) {
      for (const event of observe(this.state, fact, this.#context())) this.#fold(event);
    }
    for (const fact of facts.slice(-1)) this.fact(fact);
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
    clientMessageId: string | null = null,
  ): MessageId {
    const messageId = MessageId.parse(`m${this.#minted++}`);
    this.command({
      type: 'send',
      messageId,
      text,
      images: [],
      disposition,
      replace,
      clientMessageId,
      by: person,
    });
    return messageId;
  }

  /** Sends a message and lets the agent begin with it. */
  working(text = 'go on'): this {
    const messageId = this.send(text);
    this.facts({ type: 'message-taken', messageId }, { type: 'turn-started' });
    return this;
  }

  /** Lets the agent ask, and says which interaction came of it. */
  asks(ask: Ask): InteractionId {
    const from = this.log.length;
    this.fact({ type: 'asked', ask });
    const requested = this.since(from, 'interaction.requested')[0];
    if (requested === undefined) throw new Error('Nobody was asked');
    return requested.interactionId;
  }

  /** Lets an interactive tool ask, and says which interaction came of it. */
  toolAsks(ask: ToolAsk = deployAsk(), interactionId = `tool_${this.#minted++}`): InteractionId {
    const id = InteractionId.parse(interactionId);
    const { expiresAt, ...asked } = ask;
    const limit = expiresAt === undefined ? {} : { expiresAt };
    const refusal = this.command({ type: 'tool-ask', interactionId: id, ask: asked, ...limit });
    if (refusal !== undefined) throw new Error(refusal.message);
    return id;
  }

  respond(interactionId: InteractionId, response: Response, by: Actor = person): Refusal | undefined {
    return this.command({ type: 'respond', interactionId, response, by });
  }

  /** The interactions that are not settled, oldest first. */
  liveIds(): InteractionId[] {
    return valuesOf(this.state.interactions).map(({ requested }) => requested.interactionId);
  }

  all<T extends EventType>(type: T): EventOf<T>[] {
    return this.since(0, type);
  }

  /** The last event of a type. */
  last<T extends EventType>(type: T): EventOf<T> {
    const event = this.all(type).at(-1);
    if (event === undefined) throw new Error(`There is no ${type} in ${this.types().join(', ')}`);
    return event;
  }

  since<T extends EventType>(index: number, type: T): EventOf<T>[] {
    return this.log.slice(index).filter((event): event is EventOf<T> => event.type === type);
  }

  types(): string[] {
    return this.log.map((event) => event.type);
  }

  #context(): Context {
    const mint: Context['mint'] = (kind) => `${kind}_${this.#minted++}`;
    const storedSeq = this.log.at(-1)?.seq ?? 0;
    return { at: this.now(), mint, grants: this.globalGrants, rulesIn: () => this.globalRules, storedSeq };
  }

  #apply(events: readonly NewEvent[]): void {
    for (const event of events) this.#fold(event);
    for (let next = this.#next(); next.length > 0; next = this.#next()) {
      for (const event of next) this.#fold(event);
    }
  }

  #next(): readonly NewEvent[] {
    return advance(this.state, this.#context());
  }

  #fold(event: NewEvent): void {
    const stored = { ...event, seq: this.state.lastSeq + 1, at: this.now() } as Event;
    this.log.push(stored);
    this.state = fold(this.state, stored);
  }
}

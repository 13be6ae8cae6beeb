import { z } from 'zod';
import type { AttachOrder, Checkpoint, FactBatch, Order, OrderOutcome } from '../engine/ports/runner.ts';
import type {
  CallEnd as CallEndOfPort,
  OfferedTool as OfferedToolOfPort,
} from '../engine/ports/tool-calls.ts';
import { WorkPlace as Place, type WorkspaceCall, workspaceCalls } from '../engine/ports/workspace.ts';
import { AgentFact } from '../model/agent-fact.ts';
import { DirectoryCompletion, FoundFiles } from '../protocol/directory.ts';
import { type ErrorCode, errorCatalogue } from '../protocol/errors.ts';
import { MessageId, SessionId } from '../protocol/ids.ts';
import { Ask, Decision } from '../protocol/interaction.ts';
import { MachineLoad } from '../protocol/machine.ts';
import { Agent } from '../protocol/session.ts';

/**
 * What a room and a runner on another machine say to each other, as plain data. Nothing here allows, grants or decides anything: a
 * runner can report what its own agents did, and what became of its orders.
 */

/** The versions of these messages that this program speaks. */
export const spoken = { from: 1, to: 3 } as const;
/** With the second version came the tools of the room, and fragments that are asked for again. */
export const speaksSecond = ({ to }: { readonly to: number }): boolean => to >= 2;
/** With the third came the editor of the machine. A runner that does not know a call never answers it. */
export const speaksThird = ({ to }: { readonly to: number }): boolean => to >= 3;
const ofThird: ReadonlySet<WorkspaceCall> = new Set(['editor', 'open']);
/** Whether only runners of the third version know a call. */
export const isOfThird = (call: WorkspaceCall): boolean => ofThird.has(call);

const Name = z.string().min(1).max(200);
const Count = z.number().int().nonnegative();

/** A piece of what is said on a connection. Pieces are numbered from 1; what is too long for one is cut. */
const Frame = z.object({ number: z.number().int().positive(), text: z.string(), isLast: z.boolean() });
export type Frame = Readonly<z.infer<typeof Frame>>;

const Frames = z.object({
  type: z.literal('frames'),
  connection: Name,
  /** None where there is only something to confirm, or to show that one is there. */
  frames: z.array(Frame).readonly(),
  /** The number up to which all frames of the other side have arrived. */
  ack: Count,
});
export type Frames = Readonly<z.infer<typeof Frames>>;

const Versions = z.object({ from: z.number(), to: z.number() });

/** What a runner says beside what its runs do. Said again and again, for it may be lost. */
const Here = z.object({
  type: z.literal('here'),
  /** Made anew at each start of the runner. */
  runner: Name,
  /** Those of earlier starts on the same data directory, which have therefore ended. */
  earlier: z.array(Name).readonly(),
  /** The connection that a room may take now. Nobody can take one that was never offered, or was taken. */
  offers: Name,
  serves: z.object({ room: Name, connection: Name }).nullable(),
  speaks: Versions,
  /** Of the program. */
  version: z.string(),
  load: MachineLoad.exactOptional(),
});
export type Here = Readonly<z.infer<typeof Here>>;

const Mark = z.object({ processId: z.string(), offset: z.number(), memory: z.unknown() });
export const CheckpointShape = z.object({ number: Count, mark: Mark }) satisfies z.ZodType<Checkpoint>;

/** Facts are read one by one: one that is not understood must not hide the others. */
const Batch = z.object({
  runId: Name,
  first: z.number().int().positive(),
  facts: z.array(z.unknown()).readonly(),
  mark: Mark.exactOptional(),
});
type Batch = Readonly<z.infer<typeof Batch>>;

const Passing = z.object({
  type: z.literal('passing'),
  connection: Name,
  /** How many batches have passed since the last fact with a number. */
  piece: Count,
  batch: Batch,
});
export type Passing = Readonly<z.infer<typeof Passing>>;

export const RunnerMessage = z.discriminatedUnion('type', [
  Here,
  z.object({ type: z.literal('welcome'), room: Name, connection: Name }),
  Frames,
  Passing,
]);
export type RunnerMessage = Readonly<z.infer<typeof RunnerMessage>>;

export const RoomMessage = z.discriminatedUnion('type', [
  /** Takes what was offered. */
  z.object({ type: z.literal('take'), room: Name, connection: Name }),
  /** Not to be served, and why, in a sentence. `again`: it may be otherwise in a while. */
  z.object({ type: z.literal('refused'), runner: Name, reason: z.string(), again: z.boolean() }),
  Frames,
]);
export type RoomMessage = Readonly<z.infer<typeof RoomMessage>>;

const Start = Place.extend({
  runId: Name,
  sessionId: SessionId,
  agent: z.string(),
  permissionMode: z.string().nullable(),
  model: z.string().nullable(),
  resume: z.string().nullable(),
  fork: z.object({ at: z.string().nullable() }).exactOptional(),
  costUsd: z.number().exactOptional(),
  /** The environment, for the eyes of this runner alone. */
  sealed: z.string(),
});
export type SealedStart = Readonly<z.infer<typeof Start>>;

/** What is in `sealed`. */
export const Secrets = z.object({
  env: z.record(z.string(), z.string()),
  /** The tools have an address of the runner's own; runners of the first version want this said. */
  tools: z.null(),
});
export type Secrets = Readonly<z.infer<typeof Secrets>>;

const Attach = Start.extend({
  checkpoint: CheckpointShape.exactOptional(),
  last: Count,
  ready: z.boolean(),
  openAsks: z.array(z.string()).readonly(),
  inFlight: z.array(z.object({ messageId: MessageId, how: z.enum(['turn', 'steer']) })).readonly(),
});
export type SealedAttach = Readonly<z.infer<typeof Attach>>;

const How = z.enum(['turn', 'steer']) satisfies z.ZodType<AttachOrder['inFlight'][number]['how']>;

const AgentOrder = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('message'),
    id: MessageId,
    text: z.string(),
    images: z.array(z.object({ mediaType: z.string(), data: z.string() })).readonly(),
    how: How,
  }),
  z.object({ kind: z.literal('answer'), id: z.string(), ask: Ask, decision: Decision }),
  z.object({ kind: z.literal('defer'), id: z.string(), ask: Ask }),
  z.object({ kind: z.literal('interrupt'), id: z.string() }),
  z.object({ kind: z.literal('mode'), id: z.string(), mode: z.string() }),
  z.object({ kind: z.literal('model'), id: z.string(), model: z.string() }),
  z.object({ kind: z.literal('option'), id: z.string(), option: z.string(), value: z.string() }),
  z.object({ kind: z.literal('end'), id: z.string() }),
]) satisfies z.ZodType<Order>;

const workspaceNames = Object.keys(workspaceCalls) as [WorkspaceCall, ...WorkspaceCall[]];

/** What a room asks of the machine. All of it may be asked twice. */
const Call = z.discriminatedUnion('call', [
  z.object({ call: z.literal('agents') }),
  z.object({ call: z.literal('agent'), name: z.string() }),
  z.object({ call: z.literal('checkDirectory'), place: Place }),
  z.object({
    call: z.literal('completeDirectory'),
    query: z.object({ typed: z.string(), cwd: z.string(), roots: z.array(z.string()).readonly() }),
  }),
  z.object({ call: z.literal('findFiles'), search: Place.extend({ typed: z.string(), most: z.number() }) }),
  z.object({ call: z.literal('policyFile'), place: Place }),
  z.object({ call: z.literal('branch'), directory: z.string() }),
  z.object({
    call: z.literal('filesBelow'),
    query: z.object({ directory: z.string(), cwd: z.string(), readOnly: z.boolean() }),
  }),
  /** One of `workspaceCalls`; the request is held against that table. */
  z.object({ call: z.literal('workspace'), what: z.enum(workspaceNames), request: z.unknown() }),
  z.object({ call: z.literal('left') }),
  z.object({ call: z.literal('end'), runId: Name }),
  /** The next piece of a session's raw log; the first one opens it. */
  z.object({ call: z.literal('readRaw'), reading: Name, sessionId: SessionId }),
  z.object({ call: z.literal('removeRaw'), sessionId: SessionId }),
  /** Ends every agent of this room. */
  z.object({ call: z.literal('endAll') }),
]);
export type Call = Readonly<z.infer<typeof Call>>;

const refusalCodes = Object.keys(errorCatalogue) as [ErrorCode, ...ErrorCode[]];
const resultOf = <T extends z.ZodType>(value: T) =>
  z.discriminatedUnion('ok', [
    z.object({ ok: z.literal(true), value }),
    z.object({
      ok: z.literal(false),
      refusal: z.object({
        code: z.enum(refusalCodes),
        message: z.string(),
        details: z.record(z.string(), z.unknown()).exactOptional(),
      }),
    }),
  ]);

/** What comes back. It is held against this: the machine may have been broken into. */
export const replies = {
  agents: z.array(Agent).readonly(),
  agent: Agent.nullable(),
  checkDirectory: resultOf(z.object({ path: z.string(), real: z.string(), name: z.string() })),
  completeDirectory: resultOf(DirectoryCompletion),
  findFiles: resultOf(FoundFiles),
  policyFile: z.object({ content: z.string().nullable(), problem: z.string().exactOptional() }),
  branch: z.string().nullable(),
  filesBelow: z
    .object({
      paths: z.array(z.string()).readonly(),
      sensitive: z.array(z.string()).readonly(),
      isAll: z.boolean(),
    })
    .nullable(),
  left: z
    .array(
      z.object({
        runId: Name,
        sessionId: SessionId,
        isRunning: z.boolean(),
        about: z
          .object({ agent: Name, cwd: z.string(), agentSessionId: z.string().nullable() })
          .exactOptional(),
      }),
    )
    .readonly(),
  /** What of it is right depends on what was asked. */
  workspace: resultOf(z.unknown()),
  end: z.unknown(),
  readRaw: z.base64().nullable(),
  removeRaw: z.unknown(),
  endAll: z.unknown(),
} as const satisfies Record<Call['call'], z.ZodType>;

export type Reply<C extends Call['call']> = z.infer<(typeof replies)[C]>;

const LongText = z.string().max(10_000);

/** An interactive tool of the room, as agents are told of it. */
const OfferedTool = z.object({
  name: Name,
  description: z.string(),
  inputSchema: z.record(z.string(), z.unknown()),
  askFirst: z.boolean(),
}) satisfies z.ZodType<OfferedToolOfPort>;

const CallEnd = z.union([
  z.object({ ok: z.boolean(), text: z.string() }),
  z.object({ left: z.enum(['open', 'answered']).nullable() }),
]) satisfies z.ZodType<CallEndOfPort>;

/** What a room says of its tools. `call` is the runner's own name of a call. */
export const RoomToolItem = z.discriminatedUnion('type', [
  /** On each connection, and at each change. From the first on the runner may call. */
  z.object({ type: z.literal('tools'), tools: z.array(OfferedTool).readonly() }),
  z.object({ type: z.literal('tool-progress'), call: Name, text: z.string() }),
  z.object({ type: z.literal('tool-end'), call: Name, end: CallEnd }),
]);
export type RoomToolItem = Readonly<z.infer<typeof RoomToolItem>>;

/** What a runner wants of the tools, for its own sessions alone. */
export const RunnerToolItem = z.discriminatedUnion('type', [
  /** The calls that it knows of, first of all on each connection: nobody waits for another. */
  z.object({ type: z.literal('tool-calls'), calls: z.array(Name).readonly() }),
  /** May be said again on a later connection; it is one call. */
  z.object({
    type: z.literal('tool-call'),
    call: Name,
    sessionId: SessionId,
    callId: LongText,
    name: LongText,
    args: z.unknown(),
    agentToolName: LongText.exactOptional(),
    limitMs: z.number().positive().exactOptional(),
  }),
  /** Somebody waits again for what an earlier runner called, or this one of an earlier room. */
  z.object({ type: z.literal('tool-resume'), call: Name, sessionId: SessionId, callId: LongText }),
  /** Nobody waits for it any more: its end has come, or the agent took it back. */
  z.object({ type: z.literal('tool-over'), call: Name, reason: LongText.exactOptional() }),
]);
export type RunnerToolItem = Readonly<z.infer<typeof RunnerToolItem>>;

/** What a room says on a connection, in order and once. */
export const RoomItem = z.discriminatedUnion('type', [
  z.object({ type: z.literal('start'), order: Start }),
  z.object({ type: z.literal('attach'), order: Attach }),
  z.object({ type: z.literal('give'), runId: Name, give: Name, order: AgentOrder }),
  z.object({ type: z.literal('hold'), runId: Name }),
  z.object({ type: z.literal('release'), runId: Name }),
  z.object({ type: z.literal('stored'), runId: Name, checkpoint: CheckpointShape }),
  z.object({ type: z.literal('request'), request: Name, call: Call }),
  /** Fragments from this one on were lost; the sentence is the one before the fact with this number. */
  z.object({ type: z.literal('lost-pieces'), runId: Name, first: Count, from: Count }),
  ...RoomToolItem.options,
]);
export type RoomItem = Readonly<z.infer<typeof RoomItem>>;

const Outcome = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true) }),
  z.object({
    ok: z.literal(false),
    code: z.string(),
    message: z.string(),
    uncertain: z.literal(true).exactOptional(),
  }),
]) satisfies z.ZodType<OrderOutcome>;

/** What a runner says on a connection, in order and once. */
export const RunnerItem = z.discriminatedUnion('type', [
  z.object({ type: z.literal('facts'), batch: Batch }),
  z.object({ type: z.literal('outcome'), runId: Name, give: Name, outcome: Outcome }),
  z.object({ type: z.literal('reply'), request: Name, value: z.unknown() }),
  z.object({ type: z.literal('failed'), request: Name, reason: z.string() }),
  /** What was lost, in the batches in which it had passed; none where it is not kept any more. */
  z.object({
    type: z.literal('pieces'),
    runId: Name,
    first: Count,
    from: Count,
    batches: z.array(Batch).readonly(),
  }),
  ...RunnerToolItem.options,
]);
export type RunnerItem = Readonly<z.infer<typeof RunnerItem>>;

const passingTypes: ReadonlySet<unknown> = new Set(['delta', 'diagnostic', 'caught-up', 'ending']);

/**
 * A batch as the engine takes it. What this version does not understand becomes a notice where it has a number, so that the numbers
 * of what follows are right and a person is told.
 */
export function readBatch({ runId, first, facts, mark }: Batch): FactBatch {
  const read = facts.flatMap((fact): AgentFact[] => {
    const parsed = AgentFact.safeParse(fact);
    if (parsed.success) return [parsed.data];
    return passingTypes.has(typeOf(fact)) ? [] : [notUnderstood];
  });
  return { runId, first, facts: read, ...(mark && { mark }) };
}

const typeOf = (fact: unknown): unknown =>
  typeof fact === 'object' && fact !== null && 'type' in fact ? fact.type : undefined;

const notUnderstood: AgentFact = {
  type: 'said',
  event: {
    type: 'agent.notice',
    level: 'warning',
    code: 'runner-not-understood',
    text: 'The machine told something of this agent that is not understood here. Its version of Beckon may be newer.',
  },
};

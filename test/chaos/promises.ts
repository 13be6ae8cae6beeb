import type { Event, EventOf } from '../../src/protocol/event.ts';
import type { Ledger } from './clients.ts';
import type { AgentRecord, Run } from './record.ts';

export interface Evidence {
  /** Of each session, as the last server tells it. */
  readonly logs: ReadonlyMap<string, readonly Event[]>;
  /** What the agents wrote down themselves. */
  readonly runs: readonly Run[];
  /** What callers were told. */
  readonly ledger: Ledger;
  /** Each may have been killed between writing to an agent and noting it: the next then writes the same once more, and the agent tells. */
  readonly serversKilled: number;
}

/** Each promise that was not kept, in words. */
export function findBrokenPromises(evidence: Evidence): string[] {
  const book = bookOf(evidence);
  const repeated: string[] = [];
  const broken = [
    ...messages(evidence, book, repeated),
    ...answers(evidence, book, repeated),
    ...sayings(evidence, book),
    ...soundness(evidence),
  ];
  return repeated.length > evidence.serversKilled ? [...broken, ...repeated] : broken;
}

type Requested = EventOf<'interaction.requested'>;
interface Book {
  /** By the id of the call that asked. */
  readonly requested: ReadonlyMap<string, Requested>;
  readonly decided: ReadonlyMap<string, EventOf<'interaction.decided'>>;
  readonly resolved: ReadonlyMap<string, EventOf<'interaction.resolved'>>;
  readonly queued: ReadonlyMap<string, readonly EventOf<'message.queued'>[]>;
  readonly all: readonly Event[];
}

function bookOf({ logs }: Evidence): Book {
  const all = [...logs.values()].flat();
  return {
    all,
    requested: new Map(of(all, 'interaction.requested').map((event) => [event.ask.toolCallId ?? '', event])),
    decided: new Map(of(all, 'interaction.decided').map((event) => [event.interactionId, event])),
    resolved: new Map(of(all, 'interaction.resolved').map((event) => [event.interactionId, event])),
    queued: Map.groupBy(of(all, 'message.queued'), ({ text }) => text),
  };
}

/** Every acknowledged message reached an agent; once, and once more for each time that it is on record as given back. */
function* messages({ runs, ledger }: Evidence, book: Book, repeated: string[]): Iterable<string> {
  const read = runs.flatMap(({ run, pid, records }) =>
    kindOf(records, 'message').map(({ text }) => ({ text, run: `${run}/${pid}` })),
  );
  const readings = Map.groupBy(read, ({ text }) => text);
  for (const [name, { text, isAcknowledged }] of ledger.messages) {
    const queued = book.queued.get(text) ?? [];
    if (queued.length > 1) yield `message ${name} is ${queued.length} times in the log`;
    if (isAcknowledged && queued.length === 0) yield `message ${name} was acknowledged and is not in the log`;
    if (isAcknowledged && !readings.has(text)) yield `message ${name} was acknowledged and reached nobody`;
  }
  for (const [text, times] of readings) {
    const [queued] = book.queued.get(text) ?? [];
    if (queued === undefined) {
      yield `an agent was told "${text}", which nobody said`;
      continue;
    }
    const again = of(book.all, 'message.requeued').filter(
      ({ messageId }) => messageId === queued.messageId,
    ).length;
    const within = Map.groupBy(times, ({ run }) => run);
    for (const [run, twice] of within)
      if (twice.length > 1) repeated.push(`"${text}" was told ${twice.length} times to ${run}`);
    if (within.size > 1 + again)
      yield `"${text}" reached ${within.size} runs, and was given back ${again} times`;
  }
}

/** Every answer that an agent read was decided on record, is the one that it asked for, and came once. */
function* answers({ runs, ledger }: Evidence, book: Book, repeated: string[]): Iterable<string> {
  const readBy = new Map<string, Run>();
  for (const run of runs) {
    const asked = new Map(kindOf(run.records, 'asking').map((record) => [record.requestId, record]));
    for (const { requestId, response } of kindOf(run.records, 'answer')) {
      const call = asked.get(requestId)?.toolUseId;
      if (call === undefined) {
        yield `run ${run.run} was given an answer to ${requestId}, which it never asked`;
        continue;
      }
      if (readBy.has(call)) repeated.push(`the answer to ${call} was read twice`);
      readBy.set(call, run);
      const interactionId = book.requested.get(call)?.interactionId;
      const decided = interactionId === undefined ? undefined : book.decided.get(interactionId);
      if (decided === undefined) yield `run ${run.run} read an answer to ${call} that nobody decided`;
      else if ((decided.outcome === 'denied') !== (response?.behavior === 'deny'))
        yield `${call} was ${decided.outcome} on record, and the agent read "${response?.behavior}"`;
    }
  }
  for (const [interactionId, outcomes] of ledger.won) {
    if (outcomes.length > 1) yield `${outcomes.length} callers were told that they answered ${interactionId}`;
    const outcome = book.decided.get(interactionId)?.outcome;
    if (outcome !== outcomes[0])
      yield `${interactionId} was acknowledged as ${outcomes[0]} and is ${outcome} on record`;
  }
  for (const [call, { interactionId, processId }] of book.requested) {
    if (book.resolved.get(interactionId)?.delivered !== true || readBy.has(call)) continue;
    const asker = runs.find(({ run }) => run === processId);
    if (asker?.ended !== false)
      yield `the answer to ${call} is delivered on record, and its agent, which lived on, did not read it`;
  }
}

/** Everything that an agent got out is on record, once, and for the run that said it; an ask is open, decided, or ended in words. */
function* sayings({ runs }: Evidence, book: Book): Iterable<string> {
  const said = Map.groupBy(of(book.all, 'agent.text'), ({ text }) => text);
  for (const [text, times] of said)
    if (times.length > 1) yield `"${text}" is ${times.length} times in the log`;
  for (const { run, records } of runs) {
    const mayLack = isCutOff(run, book);
    for (const { text } of kindOf(records, 'said'))
      if (!said.has(text) && !mayLack) yield `run ${run} said "${text}", and nobody knows`;
    for (const { toolUseId } of kindOf(records, 'asked')) {
      const requested = book.requested.get(toolUseId);
      if (requested === undefined && !mayLack) yield `run ${run} asked ${toolUseId}, and nobody knows`;
      if (requested !== undefined && requested.processId !== run)
        yield `${toolUseId} was asked by ${run} and is on record for ${requested.processId}`;
    }
  }
}

/** Whoever read its output was killed, and it is on record that the run ended with that: what was in the pipe then is gone. */
const isCutOff = (run: string, { all }: Book): boolean =>
  of(all, 'process.exited').some(
    ({ processId, cause }) => processId === run && (cause === 'server-ended' || cause === 'host-ended'),
  );

/** Logs have no gap, and no interaction has two ends, or none when its process is over. */
function* soundness({ logs }: Evidence): Iterable<string> {
  for (const [session, log] of logs) {
    if (log.some(({ seq }, index) => seq !== index + 1)) yield `the log of ${session} has a gap`;
    const over = new Set(of(log, 'process.exited').map(({ processId }) => processId));
    const ends = Map.groupBy(of(log, 'interaction.resolved'), ({ interactionId }) => interactionId);
    const decisions = Map.groupBy(of(log, 'interaction.decided'), ({ interactionId }) => interactionId);
    for (const { interactionId, processId } of of(log, 'interaction.requested')) {
      const count = ends.get(interactionId)?.length ?? 0;
      if (count > 1) yield `${interactionId} has ${count} ends`;
      if (count === 0 && processId !== null && over.has(processId))
        yield `${interactionId} has no end, and its agent is gone`;
      if ((decisions.get(interactionId)?.length ?? 0) > 1)
        yield `${interactionId} was decided more than once`;
    }
  }
}

const of = <T extends Event['type']>(log: readonly Event[], type: T): EventOf<T>[] =>
  log.filter((event): event is EventOf<T> => event.type === type);

const kindOf = <K extends AgentRecord['kind']>(
  records: readonly AgentRecord[],
  kind: K,
): Extract<AgentRecord, { kind: K }>[] =>
  records.filter((record): record is Extract<AgentRecord, { kind: K }> => record.kind === kind);

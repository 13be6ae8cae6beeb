/** What the author of a driver imports, as `beckon/driver`. */

export type { Delta } from '../../protocol/event.ts';
export { MessageId, SessionId } from '../../protocol/ids.ts';
export type { Answer, Ask, Decision, FormField, Question, Subject } from '../../protocol/interaction.ts';
export type { Agent, AgentCommand, Capabilities, RunIsolation } from '../../protocol/session.ts';
export type { CallShape, ResultShape } from '../../protocol/tool-call.ts';
export {
  type AgentConnection,
  type AgentDriver,
  type AgentFact,
  AgentRefusal,
  type AgentStart,
  type LeftBehind,
  mostFactsAtOnce,
  type OutgoingMessage,
  type ReadingMark,
  type Report,
  type ToolAccess,
} from '../../runner/ports/agent-driver.ts';
export type {
  AgentProcess,
  EarlierWrites,
  EndOptions,
  KeptProcess,
  OutputReader,
  ProcessExit,
  ProcessHost,
  ProcessSpec,
  WriteOptions,
  WriteOutcome,
} from '../../runner/ports/process-host.ts';
export { AnswersUnderWay } from '../answers-under-way.ts';
export { type DiagnosticKind, diagnosticFact } from '../diagnostics.ts';
export { begunAnew, commandsChange, modeChange, modelChange, notice, unknownOnce } from '../facts.ts';
export { isObject, type JsonObject, listAt, numberAt, objectAt, textAt, textsAt } from '../fields.ts';
export { type FormAnswer, formAnswer, formFields } from '../form-fields.ts';
export { LineSplitter, type LineSplitterOptions, type OverlongLine, objectIn, toLine } from '../lines.ts';
export { agentEnvironment } from '../process/agent-environment.ts';
export { exitFact } from '../process/exit-fact.ts';
export { findProgram, type Program, VersionReader } from '../process/find-program.ts';
export { subjectOf, wholeInput } from '../subject.ts';
export { askTitle, callShapeOf, callTitle, resultShapeOf } from '../tool-calls.ts';
export { nameToAgents, toolPatienceMs, toolServerName } from '../tool-server.ts';
export {
  type Driver,
  type DriverDefinition,
  type DriverHost,
  defineDriver,
  type OpenDriver,
} from './define-driver.ts';

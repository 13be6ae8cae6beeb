import type { AgentFact, AgentStart } from '../../runner/ports/agent-driver.ts';
import { begunAnew, notice } from '../facts.ts';
import { isObject, type JsonObject, listAt, textAt, wordsAt } from '../fields.ts';
import { toolServerName } from '../tool-server.ts';
import { errorCodes, RequestError, wordsOf } from './json-rpc.ts';
import {
  type Choice,
  choiceRequest,
  resumeMethod,
  type SessionSettings,
  settingsIn,
  takesHttpTools,
} from './settings.ts';

const protocolVersion = 1;

/** The steps of a start, each with the number of its request: a server that takes over in the middle knows the replies. */
const steps = { initialize: 1, resume: 2, new: 3, mode: 4, model: 5, history: 6 } as const;
export type Step = keyof typeof steps;

export const numberOf = (step: Step): number => steps[step];
export const firstFreeNumber = Object.keys(steps).length + 1;

/** Asks the agent for something; rejects with a `RequestError` when it says no. */
export type Ask = (step: Step, method: string, params: JsonObject) => Promise<JsonObject>;

export interface Opened {
  readonly initialized: JsonObject;
  readonly sessionId: string;
  readonly isResumed: boolean;
  readonly settings: SessionSettings;
  /** What the person should know of how it began. */
  readonly notices: readonly AgentFact[];
}

/** Why the agent cannot be used, in words. */
class OpeningRefusal extends Error {
  override readonly name = 'OpeningRefusal';
}

/** From the first word to a session that takes prompts. */
export async function openSession(ask: Ask, start: AgentStart, version: string): Promise<Opened> {
  const initialized = await ask('initialize', 'initialize', {
    protocolVersion,
    clientCapabilities,
    clientInfo: { name: 'beckon', title: 'Beckon', version },
  });
  expectVersion(initialized);
  const { servers, notices } = toolServers(initialized, start);
  const place = { cwd: start.cwd, mcpServers: servers };
  const resumed = await resume(ask, initialized, start, place);
  const opened =
    resumed.opened ?? (await ask('new', 'session/new', place).catch((error) => explain(error, initialized)));
  const sessionId = resumed.opened ? start.resume : textAt(opened, 'sessionId');
  if (!sessionId) throw new OpeningRefusal('The agent opened a session without a name');
  return {
    initialized,
    sessionId,
    isResumed: resumed.opened !== undefined,
    settings: settingsIn(opened),
    notices: [...notices, ...resumed.notices],
  };
}

/** Asks for a value that the agent offers, before the first message; what it does not offer is told. */
export async function chooseAtStart(
  ask: Ask,
  sessionId: string,
  choice: Choice | undefined,
  wanted: string | null,
  what: 'mode' | 'model',
): Promise<{ readonly current: string | undefined; readonly notices: readonly AgentFact[] }> {
  if (wanted === null || wanted === choice?.current) return { current: choice?.current, notices: [] };
  const refused = (why: string) => ({
    current: choice?.current,
    notices: [
      notice('warning', `${what}-refused`, `The agent does not go on with the ${what} "${wanted}": ${why}`),
    ],
  });
  if (!choice?.options.some(({ value }) => value === wanted)) return refused('it does not offer it');
  const { method, params } = choiceRequest(choice, sessionId, wanted);
  return ask(what, method, params).then(
    () => ({ current: wanted, notices: [] }),
    (error: unknown) => {
      if (!(error instanceof RequestError)) throw error;
      return refused(wordsOf(error));
    },
  );
}

/** A step of the start that takes too long is given up. */
export function within(reply: Promise<JsonObject>, limitMs: number, method: string): Promise<JsonObject> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const seconds = Math.round(limitMs / 1000);
  const words = `it did not answer "${method}" within ${seconds} seconds`;
  const timer = setTimeout(() => reject(new OpeningRefusal(words)), limitMs);
  return Promise.race([reply, tooLate]).finally(() => clearTimeout(timer));
}

const clientCapabilities = {
  // Commands are run by a shell that is not everywhere.
  terminal: process.platform !== 'win32',
  elicitation: { form: {}, url: {} },
  session: { notices: {}, compaction: {} },
};

/** An agent may answer with another version than it was asked for; then there is nothing to talk in. */
function expectVersion(reply: JsonObject): void {
  if (reply.protocolVersion === protocolVersion) return;
  throw new OpeningRefusal(
    `The agent speaks version ${wordsAt(reply, 'protocolVersion')} of the Agent Client Protocol; version ${protocolVersion} is needed`,
  );
}

async function resume(
  ask: Ask,
  initialized: JsonObject,
  { resume: sessionId }: AgentStart,
  place: JsonObject,
): Promise<{ readonly opened?: JsonObject; readonly notices: readonly AgentFact[] }> {
  if (sessionId === null) return { notices: [] };
  const method = resumeMethod(initialized);
  if (method === undefined) return { notices: [begunAnew('this agent cannot take up a conversation again')] };
  try {
    const opened = await ask('resume', method, { ...place, sessionId });
    if (method === 'session/load') await endOfHistory(ask);
    return { opened, notices: [] };
  } catch (error) {
    if (!(error instanceof RequestError) || error.code === errorCodes.authRequired)
      return explain(error, initialized);
    return { notices: [begunAnew(wordsOf(error))] };
  }
}

/**
 * An agent may reply to a load first, and tell the history after it. It answers this, with a refusal, when all of it is told: what
 * came before the answer is no news.
 */
async function endOfHistory(ask: Ask): Promise<void> {
  await ask('history', '_beckon/history_end', {}).catch((error: unknown) => {
    if (!(error instanceof RequestError)) throw error;
  });
}

/** The interactive tools are a server that the agent must be able to reach by itself. */
function toolServers(
  initialized: JsonObject,
  { tools }: AgentStart,
): { readonly servers: readonly JsonObject[]; readonly notices: readonly AgentFact[] } {
  if (tools === null) return { servers: [], notices: [] };
  if (!takesHttpTools(initialized)) {
    const text = 'This agent takes no tools over HTTP: it works without the interactive ones.';
    return { servers: [], notices: [notice('info', 'tools-left-out', text)] };
  }
  const headers = [{ name: 'Authorization', value: `Bearer ${tools.key}` }];
  return { servers: [{ type: 'http', name: toolServerName, url: tools.url, headers }], notices: [] };
}

function explain(error: unknown, initialized: JsonObject): never {
  if (!(error instanceof RequestError) || error.code !== errorCodes.authRequired) throw error;
  const methods = listAt(initialized, 'authMethods').map(inWords);
  const how = methods.length === 0 ? '' : ` It offers: ${methods.join('; ')}.`;
  throw new OpeningRefusal(
    `The agent wants you to sign in first. Start it once in a terminal and sign in there.${how}`,
  );
}

function inWords(method: JsonObject): string {
  const name = textAt(method, 'name') ?? textAt(method, 'id') ?? 'a way without a name';
  const description = textAt(method, 'description');
  return description === undefined || !isObject(method) ? name : `${name} (${description})`;
}

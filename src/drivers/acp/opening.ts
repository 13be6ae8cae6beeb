import type { AgentOption } from '../../protocol/session.ts';
import { toolLimitHeader, toolNamesHeader } from '../../protocol/tool-limit.ts';
import type { AgentFact, AgentStart } from '../../runner/ports/agent-driver.ts';
import { begunAnew, notForked, notice } from '../facts.ts';
import { isObject, type JsonObject, listAt, objectAt, textAt, wordsAt } from '../fields.ts';
import { toolServerName } from '../tool-server.ts';
import { errorCodes, RequestError, wordsOf } from './json-rpc.ts';
import type { AcpAgent } from './known-agents.ts';
import {
  type Choice,
  canFork,
  choiceRequest,
  optionsIn,
  resumeMethod,
  type SessionSettings,
  settingsIn,
  takesHttpTools,
} from './settings.ts';

const protocolVersion = 1;

/** The steps of a start, each with the number of its request: a server that takes over in the middle knows the replies. */
const steps = {
  initialize: 1,
  resume: 2,
  new: 3,
  mode: 4,
  model: 5,
  history: 6,
  authenticate: 7,
  again: 8,
} as const;
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
  /** Undefined where the agent tells none. */
  readonly options: AgentOption[] | undefined;
  /** What the person should know of how it began. */
  readonly notices: readonly AgentFact[];
}

/** Why the agent cannot be used, in words. */
class OpeningRefusal extends Error {
  override readonly name = 'OpeningRefusal';
}

export interface Opening {
  readonly start: AgentStart;
  /** What we say of ourselves. */
  readonly ownVersion: string;
  /** How long the agent waits for a tool. */
  readonly toolLimitMs: number;
  readonly renamedTools?: AcpAgent['renamedTools'];
  /** The whole environment of the agent. */
  readonly env: Readonly<Record<string, string>>;
  readonly signIn?: AcpAgent['signIn'];
}

/** From the first word to a session that takes prompts. */
export async function openSession(asked: Ask, opening: Opening): Promise<Opened> {
  const { start, ownVersion: version } = opening;
  const { ask, explain } = signingIn(asked, opening);
  const initialized = await ask('initialize', 'initialize', {
    protocolVersion,
    clientCapabilities,
    clientInfo: { name: 'beckon', title: 'Beckon', version },
  });
  expectVersion(initialized);
  const { servers, notices } = toolServers(initialized, opening);
  const place = { cwd: start.cwd, mcpServers: servers };
  if (start.fork) {
    const forked = await fork(ask, initialized, start, place).catch(explain);
    return { initialized, isResumed: false, notices, ...forked };
  }
  const resumed = await resume(ask, initialized, start, place).catch(explain);
  const opened = resumed.opened ?? (await ask('new', 'session/new', place).catch(explain));
  const sessionId = resumed.opened ? start.resume : textAt(opened, 'sessionId');
  if (!sessionId) throw new OpeningRefusal('The agent opened a session without a name');
  return {
    initialized,
    sessionId,
    isResumed: resumed.opened !== undefined,
    settings: settingsIn(opened),
    options: optionsIn(opened),
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
    if (!(error instanceof RequestError) || error.code === errorCodes.authRequired) throw error;
    return { notices: [begunAnew(wordsOf(error))] };
  }
}

/** A copy of the conversation, under a name of its own. */
async function fork(
  ask: Ask,
  initialized: JsonObject,
  { resume: sessionId, fork }: AgentStart,
  place: JsonObject,
): Promise<Pick<Opened, 'sessionId' | 'settings' | 'options'>> {
  if (!canFork(initialized)) throw new OpeningRefusal(notForked('this agent cannot do it'));
  if (fork?.at !== null) throw new OpeningRefusal(notForked('this agent does it only at the end'));
  try {
    const opened = await ask('resume', 'session/fork', { ...place, sessionId });
    const copy = textAt(opened, 'sessionId');
    if (copy === undefined) throw new OpeningRefusal(notForked('the agent gave the copy no name'));
    return { sessionId: copy, settings: settingsIn(opened), options: optionsIn(opened) };
  } catch (error) {
    if (!(error instanceof RequestError) || error.code === errorCodes.authRequired) throw error;
    throw new OpeningRefusal(notForked(wordsOf(error)));
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
  { start: { tools }, toolLimitMs, renamedTools = {} }: Opening,
): { readonly servers: readonly JsonObject[]; readonly notices: readonly AgentFact[] } {
  if (tools === null) return { servers: [], notices: [] };
  if (!takesHttpTools(initialized)) {
    const text = 'This agent takes no tools over HTTP: it works without the interactive ones.';
    return { servers: [], notices: [notice('info', 'tools-left-out', text)] };
  }
  const names = Object.entries(renamedTools).map((pair) => pair.join('='));
  const headers = [
    { name: 'Authorization', value: `Bearer ${tools.key}` },
    { name: toolLimitHeader, value: String(toolLimitMs) },
    ...(names.length > 0 ? [{ name: toolNamesHeader, value: names.join(',') }] : []),
  ];
  return { servers: [{ type: 'http', name: toolServerName, url: tools.url, headers }], notices: [] };
}

/**
 * An agent that wants someone signed in is told once to take the key that lies in its environment, where it can; then it is asked
 * again. Else its own words are told, and how to sign in.
 */
function signingIn(asked: Ask, { env, signIn }: Opening): { ask: Ask; explain(error: unknown): never } {
  let methods: readonly JsonObject[] = [];
  const isWanted = (error: unknown): error is RequestError =>
    error instanceof RequestError && error.code === errorCodes.authRequired;
  return {
    async ask(step, method, params) {
      try {
        const reply = await asked(step, method, params);
        if (step === 'initialize') methods = listAt(reply, 'authMethods');
        return reply;
      } catch (error) {
        const byKey = methods.find((each) => takesKey(each, env, signIn?.variable));
        if (!isWanted(error) || !byKey) throw error;
        await asked('authenticate', 'authenticate', { methodId: byKey.id });
        return asked('again', method, params);
      }
    },
    explain(error) {
      if (!isWanted(error)) throw error;
      const how = [
        signIn?.command && `Run "${signIn.command}" in a terminal.`,
        signIn?.variable && `Or give it a key in ${signIn.variable}.`,
        methods.length > 0 && `It offers: ${methods.map(inWords).join('; ')}.`,
      ].filter(Boolean);
      const known = how.length > 0 ? how : ['Start it once in a terminal and sign in there.'];
      throw new OpeningRefusal(`The agent wants you to sign in first: ${wordsOf(error)}. ${known.join(' ')}`);
    },
  };
}

/** A way to sign in that needs no person, for its key is there. */
function takesKey(
  method: JsonObject,
  env: Readonly<Record<string, string>>,
  variable: string | undefined,
): boolean {
  if (method.type === 'env_var') {
    const names = listAt(method, 'vars').filter(({ optional }) => optional !== true);
    return names.length > 0 && names.every((each) => env[textAt(each, 'name') ?? '']);
  }
  const isKey = objectAt(method, '_meta')?.['api-key'] !== undefined || /api-key$/.test(String(method.id));
  return isKey && variable !== undefined && !!env[variable];
}

function inWords(method: JsonObject): string {
  const name = textAt(method, 'name') ?? textAt(method, 'id') ?? 'a way without a name';
  const description = textAt(method, 'description');
  return description === undefined || !isObject(method) ? name : `${name} (${description})`;
}

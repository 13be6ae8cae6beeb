import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { z } from 'zod';
import type { NewEventOf } from '../../protocol/event.ts';
import type { AgentFact } from '../../runner/ports/agent-driver.ts';
import { notice } from '../facts.ts';
import { type JsonObject, listAt, numberAt, textAt, textsAt } from '../fields.ts';
import { asObject, errorCodes, RequestError } from './json-rpc.ts';
import type { AgentRequest, Peer } from './peer.ts';
import { answerName } from './sent-names.ts';
import { OpenTerminal, type RunningCommand, type Terminal, type Terminals } from './terminals.ts';
import { terminalsIn } from './translate/content.ts';
import { type Memory, newName, nextPlace } from './translate/memory.ts';

const mostOutsidePaths = 100;

export interface ServiceParts {
  readonly terminals: Terminals;
  readonly memory: Memory;
  readonly env: Readonly<Record<string, string>>;
  peer(): Peer;
  /** Whether an earlier server wrote this. */
  wasWritten(name: string): boolean;
  report(facts: readonly AgentFact[]): void;
}

/** What is done for the agent, as the next server must know it. */
export const KeptServices = z.object({
  /** Requests that are not answered yet. */
  underWay: z.array(
    z.object({
      id: z.union([z.string(), z.number(), z.null()]),
      at: z.number(),
      method: z.string(),
      params: z.unknown(),
      isDone: z.boolean(),
    }),
  ),
  terminals: z.array(OpenTerminal),
  shown: z.array(z.string()),
});
type KeptServices = z.infer<typeof KeptServices>;

/**
 * What the agent has us do for it: commands, within the session's directory alone. It asks the person's leave by itself, as for
 * what it does with its own hands; what it does here outside of any call it told of is shown as a call. Files it reads and writes
 * itself: agents that are offered to do so through us break on a file that is not there, or outside of the directory.
 */
export class Services {
  readonly #parts: ServiceParts;
  readonly #told = new Set<string>();
  /** Terminals that a call has shown. */
  readonly #shown = new Set<string>();
  /** Terminals of an earlier server that are gone, and of which nobody was told yet. */
  readonly #released = new Map<string, RunningCommand>();
  readonly #underWay = new Map<number, AgentRequest & { readonly isDone: boolean }>();

  constructor(parts: ServiceParts) {
    this.#parts = parts;
  }

  readonly handlers: Readonly<Record<string, (params: JsonObject, at: number) => Promise<JsonObject>>> = {
    'terminal/create': (params, at) => this.#createTerminal(params, at),
    'terminal/output': async (params) => ({ ...this.#parts.terminals.output(idIn(params)) }),
    'terminal/wait_for_exit': async (params) => ({ ...(await this.#parts.terminals.exit(idIn(params))) }),
    'terminal/kill': async (params) => {
      await this.#parts.terminals.kill(idIn(params));
      return {};
    },
    'terminal/release': (params, at) => this.#releaseTerminal(params, at),
  };

  /**
   * Done again where an earlier server did not get to the answer: a command is started once. One that was answered is read again when nothing that followed from it was stored.
   */
  take(request: AgentRequest): void {
    const params = asObject(request.params);
    // A release tells what was printed, and does no harm: its answer is not written twice.
    if (request.method !== 'terminal/release' && this.#parts.wasWritten(answerName(request.at))) {
      // What an earlier server started, and could not store that it did.
      if (request.method === 'terminal/create')
        this.#takeUpTerminal({ id: terminalAt(request.at), spec: commandIn(params) });
      return;
    }
    this.#underWay.set(request.at, { ...request, isDone: false });
    void this.#serve(request, params).finally(() => this.#underWay.delete(request.at));
  }

  takeUp({ underWay, terminals, shown }: KeptServices): void {
    for (const terminal of terminals) this.#takeUpTerminal(terminal);
    for (const id of shown) this.#shown.add(id);
    for (const { isDone, ...request } of underWay) {
      if (isDone) void this.#parts.peer().respond(request, {}, answerName(request.at));
      else this.take(request);
    }
  }

  /** All that the agent asked an earlier server for is known now. */
  caughtUp(): void {
    this.#parts.terminals.endUnclaimed((id) =>
      [...this.#underWay.keys()].some((at) => terminalAt(at) === id),
    );
  }

  kept(): KeptServices {
    return {
      underWay: [...this.#underWay.values()],
      terminals: [
        ...this.#parts.terminals.kept(),
        ...[...this.#released].map(([id, spec]) => ({ id, spec })),
      ],
      shown: [...this.#shown],
    };
  }

  /** A call that shows a terminal is the account of what ran in it. */
  noteCall(update: JsonObject): void {
    for (const id of terminalsIn(update)) this.#shown.add(id);
  }

  async close(): Promise<void> {
    for (const [id, terminal] of await this.#parts.terminals.close()) {
      if (!this.#shown.has(id)) this.#showTerminal(terminal);
    }
  }

  async #serve(request: AgentRequest, params: JsonObject): Promise<void> {
    const { at, method } = request;
    const peer = this.#parts.peer();
    await Promise.resolve(this.handlers[method]?.(params, at) ?? {}).then(
      (result) => peer.respond(request, result, answerName(at)),
      (error: unknown) => peer.respondError(request, error, answerName(at)),
    );
  }

  #takeUpTerminal(terminal: OpenTerminal): void {
    if (!this.#parts.terminals.takeUp(terminal)) this.#released.set(terminal.id, terminal.spec);
  }

  /** One that an earlier server released, and could not store what it had printed. */
  #showReleased(id: string): void {
    const spec = this.#released.get(id);
    this.#released.delete(id);
    if (this.#shown.delete(id) || !spec) return;
    const text = 'What it printed is not known: the server ended before it was stored.';
    this.#showAsCall(commandCall(spec), { text });
  }

  /** From here on it is not done again, and need not be told again. */
  #isDone(at: number): void {
    const request = this.#underWay.get(at);
    if (request) this.#underWay.set(at, { ...request, isDone: true });
  }

  async #createTerminal(params: JsonObject, at: number): Promise<JsonObject> {
    const { terminals, env } = this.#parts;
    const command = commandIn(params);
    if (command.command.trim() === '')
      throw new RequestError(errorCodes.invalidParams, 'There is no command to run');
    const added = listAt(params, 'env').flatMap((entry) => {
      const name = textAt(entry, 'name');
      return name === undefined ? [] : [[name, textAt(entry, 'value') ?? '']];
    });
    const terminalId = terminalAt(at);
    terminals.create(terminalId, {
      ...command,
      cwd: await this.#directoryIn(params),
      env: { ...env, ...Object.fromEntries(added) },
    });
    return { terminalId };
  }

  async #releaseTerminal(params: JsonObject, at: number): Promise<JsonObject> {
    const id = idIn(params);
    if (this.#released.has(id)) {
      this.#isDone(at);
      this.#showReleased(id);
      return {};
    }
    const terminal = await this.#parts.terminals.release(id);
    this.#isDone(at);
    if (!this.#shown.delete(id)) this.#showTerminal(terminal);
    return {};
  }

  #showTerminal(terminal: Terminal): void {
    const { output, exitStatus } = terminal.output();
    const exitCode = exitStatus?.exitCode ?? undefined;
    const isError = exitCode !== 0;
    const text = isError ? `Exit code ${exitCode ?? exitStatus?.signal}\n${output}` : output;
    const ended = exitCode === undefined ? {} : { output: { exitCode } };
    this.#showAsCall(commandCall(terminal.spec), { text, isError, ...ended });
  }

  #showAsCall(
    call: Pick<NewEventOf<'tool.called'>, 'name' | 'input' | 'call'>,
    result: Pick<NewEventOf<'tool.result'>, 'text' | 'output'> & { readonly isError?: boolean },
  ): void {
    const { memory, report } = this.#parts;
    const toolCallId = newName(memory, 'served');
    report([
      {
        type: 'said',
        event: { type: 'tool.called', ...nextPlace(memory), toolCallId, ...call, startsAgent: false },
      },
      { type: 'said', event: { type: 'tool.result', toolCallId, isError: false, ...result } },
    ]);
  }

  /** The session's directory or one below it, links resolved. The person is told when the agent reached for another. */
  async #directoryIn(params: JsonObject): Promise<string> {
    const { cwd } = this.#parts.memory;
    const path = textAt(params, 'cwd') ?? '.';
    const [root, place] = await Promise.all([realpath(cwd), realpath(resolve(cwd, path))]);
    const below = relative(root, place);
    if (below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below)) return place;
    if (!this.#told.has(path) && this.#told.size < mostOutsidePaths) {
      this.#told.add(path);
      const text = `The agent asked Beckon to run a command in ${path}, which is outside the session's directory. It was refused.`;
      this.#parts.report([notice('warning', 'outside-directory', text)]);
    }
    throw new RequestError(errorCodes.invalidParams, `${path} is outside the session's directory ${cwd}`);
  }
}

const idIn = (params: JsonObject): string => textAt(params, 'terminalId') ?? '';

const commandCall = ({ command, args }: RunningCommand) => ({
  name: 'Bash',
  input: { command: [command, ...args].join(' ') },
  call: { is: 'command' as const, command: '/command' },
});

const terminalAt = (at: number): string => `terminal-${at}`;

function commandIn(params: JsonObject): RunningCommand {
  const outputByteLimit = numberAt(params, 'outputByteLimit');
  return {
    command: textAt(params, 'command') ?? '',
    args: [...textsAt(params, 'args')],
    ...(outputByteLimit !== undefined && { outputByteLimit }),
  };
}

import { RequestError } from '@agentclientprotocol/sdk';
import type { AgentFact } from '../../engine/ports/agent-driver.ts';
import { type JsonObject, listAt, numberAt, textAt, textsAt } from '../fields.ts';
import { notice } from '../notice.ts';
import type { Terminal, Terminals } from './terminals.ts';
import { pathsIn, terminalsIn } from './translate/content.ts';
import { type Memory, newName } from './translate/memory.ts';
import { hunksOf } from './translate/patch.ts';
import { nextPlace } from './translate/place.ts';
import { type Workspace, WorkspaceRefusal } from './workspace.ts';

const mostOutsidePaths = 100;

export interface ServiceParts {
  readonly workspace: Workspace;
  readonly terminals: Terminals;
  readonly memory: Memory;
  readonly env: Readonly<Record<string, string>>;
  report(facts: readonly AgentFact[]): void;
}

/**
 * What the agent has us do for it: files and commands, within the session's directory alone. It asks the person's leave by
 * itself, as for what it does with its own hands; what it does here outside of any call it told of is shown as a call.
 */
export class Services {
  readonly #parts: ServiceParts;
  readonly #told = new Set<string>();
  /** Terminals that a call has shown. */
  readonly #shown = new Set<string>();

  constructor(parts: ServiceParts) {
    this.#parts = parts;
  }

  readonly handlers: Readonly<Record<string, (params: JsonObject) => Promise<JsonObject>>> = {
    'fs/read_text_file': (params) => this.#guard('read', params, () => this.#read(params)),
    'fs/write_text_file': (params) => this.#guard('write', params, () => this.#write(params)),
    'terminal/create': (params) =>
      this.#guard('run a command in', params, () => this.#createTerminal(params)),
    'terminal/output': (params) =>
      this.#guard('read', params, async () => ({ ...this.#parts.terminals.output(idIn(params)) })),
    'terminal/wait_for_exit': (params) =>
      this.#guard('wait for', params, async () => ({ ...(await this.#parts.terminals.exit(idIn(params))) })),
    'terminal/kill': (params) =>
      this.#guard('end', params, async () => {
        await this.#parts.terminals.kill(idIn(params));
        return {};
      }),
    'terminal/release': (params) => this.#guard('release', params, () => this.#releaseTerminal(params)),
  };

  /** A call that shows a terminal is the account of what ran in it. */
  noteCall(update: JsonObject): void {
    for (const id of terminalsIn(update)) this.#shown.add(id);
  }

  async close(): Promise<void> {
    for (const [id, terminal] of await this.#parts.terminals.close()) {
      if (!this.#shown.has(id)) this.#showTerminal(terminal);
    }
  }

  async #read(params: JsonObject): Promise<JsonObject> {
    const { workspace } = this.#parts;
    const path = given(params, 'path');
    const content = await workspace.read(path, numberAt(params, 'line'), numberAt(params, 'limit'));
    return { content };
  }

  async #write(params: JsonObject): Promise<JsonObject> {
    const path = given(params, 'path');
    const content = given(params, 'content');
    const { place, before } = await this.#parts.workspace.write(path, content);
    if (!this.#isTold(path, place)) {
      const structuredPatch = hunksOf({ path, before, after: content });
      this.#showAsCall('Write', { file_path: path, content }, '', { filePath: path, structuredPatch });
    }
    return {};
  }

  async #createTerminal(params: JsonObject): Promise<JsonObject> {
    const { workspace, terminals, env } = this.#parts;
    const command = textAt(params, 'command');
    if (command === undefined || command.trim() === '')
      throw new WorkspaceRefusal('There is no command to run');
    const outputByteLimit = numberAt(params, 'outputByteLimit');
    const added = listAt(params, 'env').flatMap((entry) => {
      const name = textAt(entry, 'name');
      return name === undefined ? [] : [[name, textAt(entry, 'value') ?? '']];
    });
    const terminalId = terminals.create({
      command,
      args: textsAt(params, 'args'),
      cwd: await workspace.placeOf(textAt(params, 'cwd') ?? '.'),
      env: { ...env, ...Object.fromEntries(added) },
      ...(outputByteLimit !== undefined && { outputByteLimit }),
    });
    return { terminalId };
  }

  async #releaseTerminal(params: JsonObject): Promise<JsonObject> {
    const id = idIn(params);
    const terminal = await this.#parts.terminals.release(id);
    if (!this.#shown.delete(id)) this.#showTerminal(terminal);
    return {};
  }

  #showTerminal(terminal: Terminal): void {
    const { command, args } = terminal.spec;
    const { output, exitStatus } = terminal.output();
    const isError = exitStatus?.exitCode !== 0;
    const text = isError ? `Exit code ${exitStatus?.exitCode ?? exitStatus?.signal}\n${output}` : output;
    this.#showAsCall('Bash', { command: [command, ...args].join(' ') }, text, undefined, isError);
  }

  #showAsCall(
    name: string,
    input: Record<string, unknown>,
    text: string,
    detail?: JsonObject,
    isError = false,
  ): void {
    const { memory, report } = this.#parts;
    const toolCallId = newName(memory, 'served');
    report([
      {
        type: 'said',
        event: { type: 'tool.called', ...nextPlace(memory), toolCallId, name, input, startsAgent: false },
      },
      { type: 'said', event: { type: 'tool.result', toolCallId, isError, text, ...(detail && { detail }) } },
    ]);
  }

  #isTold(path: string, place: string): boolean {
    const calls = [...this.#parts.memory.calls.values()];
    return calls.some(({ fields }) => pathsIn(fields).some((told) => told === path || told === place));
  }

  /** The agent is told why in words it can work with; the person is told when it reached for what is not its own. */
  async #guard(what: string, params: JsonObject, act: () => Promise<JsonObject>): Promise<JsonObject> {
    try {
      return await act();
    } catch (error) {
      if (error instanceof WorkspaceRefusal && error.isOutside) this.#tellOutside(what, params);
      const message = error instanceof Error ? error.message : String(error);
      throw new RequestError(error instanceof WorkspaceRefusal ? -32602 : -32603, message);
    }
  }

  #tellOutside(what: string, params: JsonObject): void {
    const path = textAt(params, what === 'run a command in' ? 'cwd' : 'path') ?? '';
    if (this.#told.has(`${what} ${path}`) || this.#told.size >= mostOutsidePaths) return;
    this.#told.add(`${what} ${path}`);
    const text = `The agent asked Beckon to ${what} ${path}, which is outside the session's directory. It was refused.`;
    this.#parts.report([notice('warning', 'outside-directory', text)]);
  }
}

/** A file must not be emptied because the words for it were left out. */
function given(params: JsonObject, field: string): string {
  const value = textAt(params, field);
  if (value === undefined) throw new WorkspaceRefusal(`There is no ${field} in the request`);
  return value;
}

const idIn = (params: JsonObject): string => textAt(params, 'terminalId') ?? '';

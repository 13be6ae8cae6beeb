import { randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { isObject, type JsonObject, objectAt, textAt } from '../../fields.ts';
import { openServers } from './mcp.ts';
import { type Cast, commandsOf } from './scenes/scene.ts';
import { defaultModel, isMode, type Message, messageIn, Session, version } from './session.ts';
import { SessionMemory } from './session-memory.ts';
import { Turn } from './turn.ts';

const defaultPaceMs = 12;

/** The program from its arguments to its end: what it plays is up to the cast. */
export async function runProgram(args: readonly string[], cast: Cast): Promise<void> {
  const { values: flags } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true });
  if (flags.version === true) {
    process.stdout.write(`${version} (Beckon demo agent)\n`);
    return;
  }
  const session = await openSession(flags);
  const conversation = new Conversation(session, cast);
  createInterface({ input: process.stdin })
    .on('line', (text) => conversation.take(text))
    .on('close', () => process.exit(0));
}

const options = {
  version: { type: 'boolean' },
  model: { type: 'string' },
  resume: { type: 'string' },
  'fork-session': { type: 'boolean' },
  'resume-session-at': { type: 'string' },
  'permission-mode': { type: 'string' },
  'mcp-config': { type: 'string' },
  allowedTools: { type: 'string' },
} as const;

type Flags = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

async function openSession(flags: Flags): Promise<Session> {
  const { resume, 'permission-mode': mode = 'default', 'mcp-config': mcpConfig } = flags;
  if (!isMode(mode)) fail(`error: option '--permission-mode <mode>' argument '${mode}' is invalid.`);
  const cwd = realpathSync(process.cwd());
  const home = process.env.BECKON_DEMO_HOME ?? join(homedir(), '.beckon-demo');
  const isFork = flags['fork-session'] === true;
  const id = typeof resume === 'string' && !isFork ? resume : randomUUID();
  const recalled = SessionMemory.recall(home, typeof resume === 'string' ? resume : id, cwd);
  const at = textAt(flags, 'resume-session-at');
  const earlier = isFork ? recalled?.fork(id, at) : recalled;
  const session = new Session({
    id,
    cwd,
    mode,
    model: textAt(flags, 'model'),
    pace: Number(process.env.BECKON_DEMO_PACE ?? defaultPaceMs),
    memory: earlier ?? SessionMemory.begin(home, id, cwd),
    mcp: openServers(
      typeof mcpConfig === 'string' ? mcpConfig : undefined,
      textAt(flags, 'allowedTools') ?? '',
    ),
  });
  if (resume !== undefined && earlier === undefined) {
    await refuseResume(
      recalled === undefined
        ? `No conversation found with session ID: ${resume}`
        : `No message found with message.uuid of: ${at}`,
      session,
    );
  }
  return session;
}

async function refuseResume(reason: string, session: Session): Promise<never> {
  const failure = { subtype: 'error_during_execution', is_error: true, errors: [reason] };
  await session.send({ type: 'result', ...failure, session_id: randomUUID(), uuid: randomUUID() });
  fail(reason);
}

function fail(reason: string): never {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}

/** Takes what the host says: messages, which are played one after the other, answers and requests. */
class Conversation {
  readonly #session: Session;
  readonly #cast: Cast;
  #waiting: Message[] = [];
  #turn: Turn | undefined;
  #turns: Promise<void> = Promise.resolve();

  constructor(session: Session, cast: Cast) {
    this.#session = session;
    this.#cast = cast;
  }

  take(text: string): void {
    const line = parse(text);
    switch (line?.type) {
      case 'user':
        this.#receive(messageIn(line));
        break;
      case 'control_request':
        void this.#control(textAt(line, 'request_id') ?? '', objectAt(line, 'request') ?? {});
        break;
      case 'control_response':
        this.#session.answered(objectAt(line, 'response') ?? {});
        break;
    }
  }

  #receive(message: Message): void {
    if (!this.#session.memory.takes(message.uuid)) {
      void this.#session.echo(message);
      return;
    }
    this.#waiting.push(message);
    void this.#session.lifecycle(message, 'queued');
    this.#turns = this.#turns.then(() => this.#playNext());
  }

  async #playNext(): Promise<void> {
    // What was taken into an earlier turn has none of its own.
    const message = this.#waiting.shift();
    if (message === undefined) return;
    this.#turn = new Turn(this.#session, message, () => this.#waiting.splice(0));
    await this.#turn.play(this.#cast);
    this.#turn = undefined;
  }

  async #control(id: string, request: JsonObject): Promise<void> {
    const respond = (response: JsonObject): Promise<void> =>
      this.#session.send({ type: 'control_response', response: { request_id: id, ...response } });
    const succeed = (response: JsonObject): Promise<void> => respond({ subtype: 'success', response });
    const refuse = (error: string): Promise<void> => respond({ subtype: 'error', error });
    switch (request.subtype) {
      case 'initialize':
        return succeed(this.#introduction());
      case 'interrupt':
        this.#turn?.stop();
        return succeed({ still_queued: this.#waiting.map(({ uuid }) => uuid) });
      case 'set_permission_mode': {
        const { mode } = request;
        if (!isMode(mode)) return refuse('Cannot set permission mode: there is no such mode');
        if (mode === 'bypassPermissions' && !this.#session.mayBypass)
          return refuse('Cannot set permission mode: the session was not launched with it');
        await succeed({ mode });
        return this.#session.changeMode(mode);
      }
      case 'set_model': {
        const model = textAt(request, 'model') ?? 'default';
        this.#session.model = model === 'default' ? defaultModel : model;
        return succeed({ model: this.#session.model });
      }
      default:
        return refuse(`Unsupported control request subtype: ${textAt(request, 'subtype')}`);
    }
  }

  #introduction(): JsonObject {
    return {
      commands: commandsOf(this.#cast),
      models: [
        { value: 'default', displayName: 'Demo', description: 'Plays scenes; no account, no network' },
      ],
      claude_code_version: version,
      current_permission_mode: this.#session.mode,
    };
  }
}

function parse(text: string): JsonObject | undefined {
  try {
    const line: unknown = JSON.parse(text);
    return isObject(line) ? line : undefined;
  } catch {
    return undefined;
  }
}

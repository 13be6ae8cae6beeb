import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { type AgentContext, agent, ndJsonStream, RequestError } from '@agentclientprotocol/sdk';
import { play } from './scenes.ts';
import { Stage } from './stage.ts';

/** A small agent that speaks the protocol as strictly as the SDK does, and plays a scene for each message. */
const flags = new Set(process.argv.slice(2));
const home = process.env.ACP_AGENT_HOME ?? process.cwd();
const modes = ['default', 'acceptEdits', 'plan'];
const models = ['small-model', 'another-model'];
const state = { mode: 'default', model: 'small-model', sessionId: '', cwd: process.cwd() };
const turns = new Map<string, AbortController>();
let isSignedIn = false;
let isApproving = false;

const app = agent({ name: 'scripted' })
  .onRequest('initialize', async ({ params }) => {
    if (flags.has('--hang')) await new Promise(() => {});
    await held('initialize');
    if (flags.has('--refuse')) throw new RequestError(-32603, 'Internal error', { details: 'no account' });
    remember('client', JSON.stringify(params.clientCapabilities));
    return {
      protocolVersion: flags.has('--version-9') ? 9 : 1,
      agentInfo: { name: 'scripted', title: 'Scripted', version: '1.2.3' },
      authMethods: [
        { id: 'login', name: 'Log in', description: 'with a browser' },
        ...(flags.has('--auth-key') ? [{ id: 'api-key', name: 'API key' }] : []),
      ],
      agentCapabilities: {
        loadSession: !flags.has('--forgetful'),
        promptCapabilities: { image: !flags.has('--blind') },
        mcpCapabilities: { http: !flags.has('--no-http') },
        sessionCapabilities: flags.has('--load') || flags.has('--forgetful') ? {} : { resume: {} },
      },
    };
  })
  .onRequest('authenticate', ({ params }) => {
    if (process.env.SCRIPTED_KEY !== 'right') throw new RequestError(-32603, 'That key is too old');
    isSignedIn = params.methodId === 'api-key';
    return {};
  })
  .onRequest('session/new', async ({ params, client }) => {
    await held('session-new');
    if (flags.has('--auth') && !isSignedIn)
      throw new RequestError(-32000, 'Authentication required: run `scripted login`');
    state.sessionId = `session-${process.pid}-${Date.now()}`;
    state.cwd = params.cwd;
    remember('servers', JSON.stringify(params.mcpServers));
    tellCommands(client, state.sessionId);
    return { sessionId: state.sessionId, ...settings() };
  })
  .onRequest('session/load', async ({ params, client }) => {
    takeUp(params.sessionId, params.cwd);
    const { sessionId } = params;
    tellCommands(client, sessionId);
    const told = tellHistory(client, sessionId);
    if (!flags.has('--late-history')) await told;
    await held('session-load');
    return settings();
  })
  .onRequest('session/resume', ({ params, client }) => {
    takeUp(params.sessionId, params.cwd);
    tellCommands(client, params.sessionId);
    return settings();
  })
  .onRequest('session/set_mode', async ({ params }) => {
    await held('set-mode');
    if (!modes.includes(params.modeId)) throw RequestError.invalidParams(undefined, 'no such mode');
    state.mode = params.modeId;
    return {};
  })
  .onRequest('session/set_config_option', ({ params }) => {
    if (params.configId === 'auto_approve') {
      if (params.value !== true && params.value !== false) throw RequestError.invalidParams();
      isApproving = params.value;
      return { configOptions: settings().configOptions };
    }
    if (!models.includes(String(params.value))) throw RequestError.invalidParams(undefined, 'no such model');
    state.model = String(params.value);
    return { configOptions: settings().configOptions };
  })
  .onNotification('session/cancel', ({ params }) => turns.get(params.sessionId)?.abort())
  .onRequest('session/prompt', async ({ params, client }) => {
    const words = params.prompt
      .map((block) => (block.type === 'text' ? block.text : `[${block.type}]`))
      .join(' ');
    writeFileSync(historyFile(params.sessionId), `${words}\n`, { flag: 'a' });
    const turn = new AbortController();
    turns.set(params.sessionId, turn);
    try {
      await play(words, new Stage({ client, sessionId: params.sessionId, signal: turn.signal, state }));
      return { stopReason: turn.signal.aborted ? 'cancelled' : 'end_turn' };
    } catch (error) {
      if (turn.signal.aborted) return { stopReason: 'cancelled' };
      throw error;
    }
  });

app.connect(
  ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>),
);
process.stdin.on('end', () => flags.has('--stubborn') || process.exit(0));
if (flags.has('--stubborn')) {
  process.on('SIGTERM', () => {});
  setInterval(() => {}, 1_000);
}

/** Waits as long as there is a file that says so. */
async function held(step: string): Promise<void> {
  while (existsSync(join(home, `hold-${step}`))) await delay(5);
}

function settings() {
  const select = { type: 'select' as const, currentValue: state.model };
  const options = models.map((value) => ({ value, name: `The ${value}` }));
  return {
    modes: { currentModeId: state.mode, availableModes: modes.map((id) => ({ id, name: id })) },
    configOptions: [
      { ...select, id: 'model', name: 'Model', category: 'model' as const, options },
      ...(flags.has('--options')
        ? [{ type: 'boolean' as const, id: 'auto_approve', name: 'Approve all', currentValue: isApproving }]
        : []),
    ],
  };
}

/** After the reply, as the session is not known before it. */
function tellCommands(client: AgentContext, sessionId: string): void {
  const availableCommands = [
    { name: 'hello', description: 'Says hello' },
    { name: 'run', description: 'Runs a command', input: { hint: 'the command' } },
  ];
  setImmediate(() => {
    void client.notify('session/update', {
      sessionId,
      update: { sessionUpdate: 'available_commands_update', availableCommands },
    });
  });
}

function takeUp(sessionId: string, cwd: string): void {
  if (!existsSync(historyFile(sessionId))) throw RequestError.sessionNotFound(sessionId);
  state.sessionId = sessionId;
  state.cwd = cwd;
}

function historyOf(sessionId: string): readonly string[] {
  return readFileSync(historyFile(sessionId), 'utf8').split('\n').slice(0, -1);
}

function historyFile(sessionId: string): string {
  mkdirSync(home, { recursive: true });
  return join(home, `${sessionId.replaceAll('/', '_')}.history`);
}

async function tellHistory(client: AgentContext, sessionId: string): Promise<void> {
  // The reply to the load is written before what follows.
  if (flags.has('--late-history')) await Promise.resolve().then(() => undefined);
  for (const line of historyOf(sessionId)) {
    const content = { type: 'text' as const, text: line };
    await client.notify('session/update', {
      sessionId,
      update: { sessionUpdate: 'user_message_chunk', content },
    });
    await client.notify('session/update', {
      sessionId,
      update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'told before' } },
    });
  }
}

function remember(name: string, text: string): void {
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, `${name}.json`), text);
}

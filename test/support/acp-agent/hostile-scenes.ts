import type { PermissionOption } from '@agentclientprotocol/sdk';
import type { Scene } from './scenes.ts';

const yes: PermissionOption = { optionId: 'yes', name: 'Yes', kind: 'allow_once' };
const ever: PermissionOption = { optionId: 'ever', name: 'Always', kind: 'allow_always' };
const no: PermissionOption = { optionId: 'no', name: 'No', kind: 'reject_once' };
const never: PermissionOption = { optionId: 'never', name: 'Never', kind: 'reject_always' };

const optionSets: Readonly<Record<string, PermissionOption[]>> = {
  all: [yes, ever, no, never],
  'only-always': [ever, no],
  'only-never': [yes, never],
  'no-way-out': [yes],
  none: [],
  strange: [{ optionId: 'maybe', name: 'Maybe', kind: 'perhaps' as 'allow_once' }, yes, no],
};

/** What a broken, a careless or a newer agent may do. */
export const hostileScenes: Readonly<Record<string, Scene>> = {
  async '!die'(stage) {
    await stage.say('Goodbye, ');
    process.stderr.write('the last words\n');
    process.exit(3);
  },

  async '!options'(stage, which) {
    const call = {
      toolCallId: stage.nextCall(),
      title: 'Poke it',
      kind: 'other' as const,
      rawInput: { it: 1 },
    };
    await stage.say(`chosen: ${await stage.mayI(call, optionSets[which])}`);
  },

  /** Asks for a call under a title, and after a second word under a name. */
  async '!call'(stage, words) {
    const [title = '', name] = words.split(' ');
    const call = { toolCallId: stage.nextCall(), title, kind: 'other' as const, rawInput: { it: 1 } };
    const chosen = await stage.mayI({ ...call, ...(name !== undefined && { name }) });
    await stage.say(`chosen: ${chosen}`);
  },

  async '!unknown'(stage) {
    await stage.say('before ');
    const update = { sessionUpdate: 'dance', steps: 3 };
    await stage.client.notify('session/update', { sessionId: stage.sessionId, update });
    await stage.client.notify('session/update', { sessionId: stage.sessionId, update });
    await stage.client.notify('from/the_future', { x: 1 });
    await stage.client.notify('_vendor/thing', { x: 1 });
    await stage.say(`after: ${await stage.tried('session/sing', {})}`);
  },

  async '!garbage'(stage) {
    await stage.say('before ');
    process.stdout.write(
      'this is not JSON\n[1,2]\n"text"\n{"no":"message"}\n{"jsonrpc":"2.0","id":4711,"result":{}}\n\n',
    );
    await stage.update({ sessionUpdate: 'tool_call' } as never);
    await stage.update({ sessionUpdate: 'agent_message_chunk', content: 'bare words' } as never);
    await stage.update({ sessionUpdate: 'agent_message_chunk' } as never);
    await stage.update({ sessionUpdate: 'plan', entries: 'to be made' } as never);
    await stage.say('after');
  },

  /** Nested so deeply that it cannot be written down again; so it is printed, piece by piece. */
  async '!deep'(stage) {
    const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
    const { sessionId } = stage;
    const print = (message: object): Promise<void> => {
      const line = JSON.stringify({ jsonrpc: '2.0', ...message }).replaceAll('"DEEP"', () => deep);
      return new Promise((resolve) => process.stdout.write(`${line}\n`, () => resolve()));
    };
    const toolCall = { toolCallId: 'deep', title: 'Dig', status: 'completed', rawInput: { a: 1 } };
    const updates = [
      { sessionUpdate: 'tool_call', ...toolCall, rawOutput: 'DEEP' },
      { sessionUpdate: 'dance', steps: 'DEEP' },
    ];
    for (const update of updates) await print({ method: 'session/update', params: { sessionId, update } });
    const asked = { toolCallId: 'deeper', title: 'Dig on', rawInput: 'DEEP' };
    await print({
      id: 'deep-approval',
      method: 'session/request_permission',
      params: { sessionId, toolCall: asked, options: [yes, no] },
    });
    const properties = { a: { type: 'string', default: 'DEEP' } };
    await print({
      id: 'deep-form',
      method: 'elicitation/create',
      params: { sessionId, mode: 'form', message: 'Dig?', requestedSchema: { type: 'object', properties } },
    });
    await stage.say('out again');
  },

  async '!bigline'(stage, megabytes) {
    const toolCallId = stage.nextCall();
    await stage.update({
      sessionUpdate: 'tool_call',
      toolCallId,
      title: 'Print',
      kind: 'other',
      rawInput: { it: 1 },
    });
    await stage.end(toolCallId, 'completed', 'x'.repeat(Number(megabytes) * 1024 * 1024));
    await stage.say('printed');
  },

  async '!files'(stage, path) {
    await stage.say(`read ${await stage.tried('fs/read_text_file', { path })}\n`);
    await stage.say(`write ${await stage.tried('fs/write_text_file', { path, content: 'mine\n' })}\n`);
  },

  async '!terminal'(stage, rest) {
    await stage.say(await stage.tried('terminal/create', JSON.parse(rest)));
  },

  /** Starts a command and does not wait for it. */
  async '!command'(stage, command) {
    const { terminalId } = JSON.parse(await stage.tried('terminal/create', { command }));
    await stage.say(terminalId);
  },

  async '!flood'(stage) {
    const { terminalId } = JSON.parse(
      await stage.tried('terminal/create', { command: 'yes | head -c 9000000' }),
    );
    await stage.tried('terminal/wait_for_exit', { terminalId });
    const { output, truncated } = JSON.parse(await stage.tried('terminal/output', { terminalId }));
    await stage.tried('terminal/release', { terminalId });
    await stage.say(`${output.length} ${truncated} ${await stage.tried('terminal/output', { terminalId })}`);
  },

  /** Takes its question back. */
  async '!withdraw'(stage) {
    const asked = new AbortController();
    const reply = stage.client.request(
      'session/request_permission',
      {
        sessionId: stage.sessionId,
        toolCall: { toolCallId: stage.nextCall(), title: 'Poke' },
        options: [yes, no],
      },
      { cancellationSignal: asked.signal },
    );
    setTimeout(() => asked.abort(), 50);
    await stage.say(JSON.stringify(await reply.catch((error: Error) => error.message)));
  },

  /** Goes on to speak when its turn is over. */
  async '!late'(stage) {
    await stage.say('in the turn');
    setTimeout(() => void stage.say('after it'), 50);
  },
};

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { RequestError } from '@agentclientprotocol/sdk';
import { hostileScenes } from './hostile-scenes.ts';
import type { Stage } from './stage.ts';

export type Scene = (stage: Stage, rest: string) => Promise<void>;

/** The first word of the message names the scene. */
export async function play(words: string, stage: Stage): Promise<void> {
  const [name = '', ...rest] = words.replace(/^\//, '').split(' ');
  const scene = scenes[name] ?? hostileScenes[name] ?? echo;
  await scene(stage, rest.join(' '));
}

const echo: Scene = (stage, rest) => stage.say('You said: ', rest);

const scenes: Readonly<Record<string, Scene>> = {
  async hello(stage) {
    await stage.think('A greeting.');
    await stage.say('Hello ', 'to you, ', 'too.');
  },

  /** Says a sentence in pieces, each when there is a file of its name. */
  async tell(stage, gates) {
    await stage.say('I begin');
    for (const gate of gates.split(' ')) {
      await stage.gate(gate);
      await stage.say(`, ${gate}`);
    }
    stage.note('told', `${gates}\n`);
  },

  /** So many lines; after some it asks or has a command run, and says what came of it. Notes all it says. */
  async tally(stage, words) {
    const [name = '', lines = '0', file = ''] = words.split(' ');
    const say = async (text: string): Promise<void> => {
      stage.note(file, `${text}\n`);
      await stage.say(`${text}\n`);
    };
    for (let line = 1; line <= Number(lines); line += 1) {
      await say(`${name} line ${line}`);
      const title = `${name} ask ${line}`;
      if (line % 3 === 0) {
        const call = { toolCallId: stage.nextCall(), title, kind: 'other' as const, rawInput: { title } };
        const chosen = await stage.mayI(call);
        await stage.end(call.toolCallId, 'completed', `${chosen}`);
        await say(`${title} ${chosen}`);
      }
      if (line % 4 === 0) {
        const command = `echo ${name} ${line} >> ${file}.commands`;
        const { terminalId } = JSON.parse(await stage.tried('terminal/create', { command }));
        const exit = await stage.tried('terminal/wait_for_exit', { terminalId });
        await say(`${exit} ${await stage.tried('terminal/release', { terminalId })}`);
      }
    }
  },

  async run(stage, command) {
    await stage.say('I run it.');
    await stage.run(command);
    await stage.say('Done.');
  },

  /** Asks leave for the call that is given as JSON, and says what was chosen. */
  async permit(stage, call) {
    const chosen = await stage.mayI({ toolCallId: stage.nextCall(), ...JSON.parse(call) });
    await stage.say(`Chosen: ${chosen ?? 'nothing'}`);
  },

  async endless(stage) {
    while (!stage.signal.aborted) {
      await stage.say('on ');
      await delay(5);
    }
  },

  async two(stage) {
    await Promise.all([stage.run('echo one'), stage.run('echo two')]);
    await stage.say('Both are done.');
  },

  async question(stage) {
    const toolCallId = stage.nextCall();
    await stage.update({
      sessionUpdate: 'tool_call',
      toolCallId,
      title: 'Asking',
      kind: 'other',
      name: 'AskUserQuestion',
      rawInput: { questions: 2 },
    });
    const choice = (title: string, labels: string[]) =>
      labels.map((label) => ({ const: label, title: label, description: title }));
    const reply = await stage.elicit({
      mode: 'form',
      toolCallId,
      message: 'Please answer',
      requestedSchema: {
        type: 'object',
        properties: {
          size: {
            type: 'string',
            title: 'Size',
            description: 'Which size?',
            oneOf: choice('Size', ['Big', 'Huge']),
          },
          size_custom: { type: 'string', title: 'Other' },
          colours: {
            type: 'array',
            title: 'Colours',
            description: 'Which colours?',
            items: { anyOf: choice('Colour', ['Red', 'Blue']) },
          },
          colours_custom: { type: 'string', title: 'Other' },
        },
      },
    });
    const content = 'content' in reply && typeof reply.content === 'object' ? (reply.content ?? {}) : {};
    const words = Object.values(content).map((value) =>
      Array.isArray(value) ? value.join(', ') : String(value),
    );
    await stage.end(toolCallId, 'completed', `${reply.action}: ${words.join('; ')}`);
    await stage.say('Thank you.');
  },

  async form(stage) {
    const reply = await stage.elicit({
      mode: 'form',
      message: 'Who are you?',
      requestedSchema: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string', title: 'Name' }, age: { type: 'integer', minimum: 1 } },
      },
    });
    await stage.say(JSON.stringify(reply));
  },

  async subagent(stage) {
    const toolCallId = stage.nextCall();
    const note = { claudeCode: { toolName: 'Agent' } };
    await stage.update({
      sessionUpdate: 'tool_call',
      toolCallId,
      title: 'Touch it',
      kind: 'think',
      status: 'in_progress',
      rawInput: { description: 'Touch it' },
      _meta: note,
    });
    await stage.run('touch sub.txt', toolCallId);
    await stage.end(toolCallId, 'completed', 'Touched in there.');
    await stage.say('It is done.');
  },

  async fail() {
    throw new RequestError(-32603, 'Internal error', { details: 'API Error: 400 told to fail' });
  },

  async plan(stage) {
    const toolCallId = stage.nextCall();
    const call = {
      toolCallId,
      title: 'Ready to code',
      kind: 'switch_mode' as const,
      name: 'ExitPlanMode',
      rawInput: { plan: '# A plan' },
    };
    await stage.update({ sessionUpdate: 'tool_call', ...call, status: 'pending' });
    const chosen = await stage.mayI(call);
    if (chosen === undefined || chosen === 'no') {
      await stage.end(toolCallId, 'failed', 'Keep planning');
      return;
    }
    stage.state.mode = 'default';
    await stage.update({ sessionUpdate: 'current_mode_update', currentModeId: 'default' });
    await stage.end(toolCallId, 'completed', 'Approved');
    // The client chooses another mode right after.
    for (let waited = 0; waited < 5_000 && stage.state.mode === 'default'; waited += 10) await delay(10);
    if (stage.state.mode === 'default') await stage.run('touch planned.txt');
    else writeFileSync(join(stage.state.cwd, 'planned.txt'), 'As planned\n');
    await stage.say('Carried out.');
  },

  async todo(stage) {
    const steps = ['Look', 'Think', 'Act'];
    for (let done = 0; done <= steps.length; done += 1) {
      const entries = steps.map((content, at) => {
        const status = at < done ? 'completed' : at === done ? 'in_progress' : 'pending';
        return { content, priority: 'medium' as const, status: status as 'completed' };
      });
      await stage.update({ sessionUpdate: 'plan', entries });
      await stage.update({ sessionUpdate: 'plan', entries });
    }
    await stage.say('All done.');
  },

  async edit(stage) {
    const path = join(stage.state.cwd, 'a.txt');
    const toolCallId = stage.nextCall();
    const call = {
      toolCallId,
      title: 'Edit a.txt',
      kind: 'edit' as const,
      locations: [{ path }],
      content: [{ type: 'diff' as const, path, oldText: 'one\ntwo\nthree\n', newText: 'one\n2\nthree\n' }],
    };
    await stage.update({ sessionUpdate: 'tool_call', ...call, status: 'pending' });
    const chosen = await stage.mayI(call);
    if (chosen === 'yes' || chosen === 'ever') {
      writeFileSync(path, 'one\n2\nthree\n');
      await stage.update({ sessionUpdate: 'tool_call_update', toolCallId, status: 'completed' });
    } else await stage.end(toolCallId, 'failed', 'The person said no');
    await stage.say(`chosen: ${chosen}`);
  },

  async terminal(stage, command) {
    const { terminalId } = JSON.parse(
      await stage.tried('terminal/create', { command, outputByteLimit: 100 }),
    );
    const toolCallId = stage.nextCall();
    await stage.update({
      sessionUpdate: 'tool_call',
      toolCallId,
      title: command,
      kind: 'execute',
      status: 'in_progress',
      content: [{ type: 'terminal', terminalId }],
    });
    const exit = await stage.tried('terminal/wait_for_exit', { terminalId });
    await stage.tried('terminal/release', { terminalId });
    await stage.update({ sessionUpdate: 'tool_call_update', toolCallId, status: 'completed' });
    await stage.say(exit);
  },
};

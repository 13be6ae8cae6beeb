import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isObject, type JsonObject } from '../../../fields.ts';
import type { Answers, Stage, ToolOutcome } from '../stage.ts';
import type { Scene } from './scene.ts';

const tourFile = 'beckon-demo.md';
const tourContent = [
  '# Hello from Beckon',
  '',
  'The demo agent wrote this file because you allowed it.',
  'You can delete it; nothing depends on it.',
  '',
].join('\n');

export const tour: Scene = {
  name: 'tour',
  about: 'a walk through an approval and a question, in a minute',
  changes: true,
  matches: (text) =>
    /^(tour|show me (a)?round|give me (a|the) tour|take (me on )?(a|the) tour|get(ting)? started)\b/i.test(
      text,
    ),
  play: async (stage) => {
    await stage.say(
      [
        'Welcome! An agent works on its own most of the time, and beckons when it needs you. That happens in two ways;',
        `here is the first.\n\n**May I?** I would like to write a small file, \`${tourFile}\`, into this directory.`,
        'Look at what I want to write, then allow it, deny it, or change it. I do nothing until you decide.',
      ].join(' '),
    );
    const file_path = join(stage.session.cwd, tourFile);
    const written = await stage.tool('Write', { file_path, content: tourContent });
    const thanks = written.isError
      ? `All right, I left your files alone (“${written.text}”).`
      : 'Thank you, the file is there.';
    await stage.say(`${thanks} Now the second way.\n\n**Which one?** Sometimes I need a decision.`);
    const answers = await stage.ask([
      {
        question: 'What should an agent of yours do first?',
        header: 'First job',
        multiSelect: false,
        options: [
          { label: 'Fix a bug', description: 'Something small that has annoyed you for weeks' },
          { label: 'Write tests', description: 'For the part nobody dares to touch' },
          { label: 'Explain the code', description: 'A guided walk through a project new to you' },
        ],
      },
    ]);
    await stage.say(
      [
        'That is all there is to it:',
        '',
        `- ${fileLine(written)}`,
        `- ${answerLine(answers)}`,
        '',
        'With fifty agents at work it stays the same: whoever needs you shows up in the inbox, oldest first.',
        'Say `help` for more to try, or start a session with a real agent.',
      ].join('\n'),
    );
  },
};

function fileLine({ isError, text, input }: ToolOutcome): string {
  if (isError) return `You said no to \`${tourFile}\`, and I was told why: “${text}”.`;
  const how = input.content === tourContent ? 'it was written as shown' : 'it holds your version';
  return `You allowed \`${tourFile}\`; ${how}.`;
}

function answerLine(answers: Answers): string {
  if (answers.is === 'refused')
    return `You did not want to choose (“${answers.reason}”), which is fine, too.`;
  const [first] = answers.answers;
  return first === undefined
    ? 'You left my question open.'
    : `You answered my question with **${first.answer}**.`;
}

const writeWords =
  /^(?:write|create|edit|change)\b(?!\s+(?:a\s+)?to-?dos?(?:\s+list)?$)(?:\s+(?:a|an|the|me|my|new|some|file|called|named|to|for))*(?:\s+(\S+))?/i;

export const write: Scene = {
  name: 'write NAME',
  about: 'writes a file and then edits it; both ask you first',
  changes: true,
  matches: (text) => writeWords.test(text),
  play: async (stage) => {
    const name = writeWords.exec(stage.text)?.[1] ?? 'demo-notes.md';
    const file_path = freePath(resolve(stage.session.cwd, name));
    const written = basename(file_path);
    await stage.say(
      written === basename(name)
        ? `I will write \`${name}\` and then change a line in it.`
        : `\`${name}\` is yours, so I will write \`${written}\` instead, and then change a line in it.`,
    );
    const writing = await stage.tool('Write', { file_path, content: draft(file_path) });
    if (writing.isError) return stage.say(`I did not write \`${written}\`: ${writing.text}`);
    await stage.say('Written. Now the edit.');
    const change = { old_string: 'Status: draft', new_string: 'Status: reviewed by a person' };
    const editing = await stage.tool('Edit', { file_path, ...change, replace_all: false });
    await stage.say(
      editing.isError
        ? `The edit was not made: ${editing.text}`
        : `Done: \`${written}\` is written and edited.`,
    );
  },
};

/** A demo must not overwrite someone's work, not even with permission given too quickly. */
function freePath(path: string): string {
  if (!existsSync(path) || isOurs(path)) return path;
  return freePath(join(dirname(path), `demo-${basename(path)}`));
}

function isOurs(path: string): boolean {
  try {
    return readFileSync(path, 'utf8').startsWith(draft(path).replace(/draft\n$/, ''));
  } catch {
    return false;
  }
}

const draft = (path: string): string => `# ${basename(path)}\n\nStatus: draft\n`;

const runWords = /^run\b(?!\s+(?:a\s+)?sub-?\s?agents?$)\s*([\s\S]*)$/i;

export const run: Scene = {
  name: 'run COMMAND',
  about: 'runs exactly that command, once you allow it, and shows what it printed',
  changes: true,
  matches: (text) => runWords.test(text),
  play: async (stage) => {
    const command = runWords.exec(stage.text)?.[1]?.trim() || 'echo hello from the demo agent';
    await stage.say('I would like to run a command.');
    const { isError, text, input } = await stage.tool('Bash', { command });
    await stage.say(
      isError
        ? `It did not work out: ${text}`
        : `I ran \`${input.command}\`. It printed:\n\n\`\`\`\n${text}\n\`\`\``,
    );
  },
};

export const question: Scene = {
  name: 'question',
  about: 'asks you two questions at once, one of them with several answers',
  matches: (text) => /^(question|ask me|questions)\b/i.test(text),
  play: async (stage) => {
    await stage.say('Two things to decide before I start.');
    const answers = await stage.ask([
      {
        question: 'Which database should I use?',
        header: 'Database',
        multiSelect: false,
        options: [
          { label: 'Postgres', description: 'A server, for many writers' },
          { label: 'SQLite', description: 'A file, for a single program' },
          { label: 'None', description: 'Keep it in memory' },
        ],
      },
      {
        question: 'Which extras do you want?',
        header: 'Extras',
        multiSelect: true,
        options: [
          { label: 'Tests', description: 'Unit tests for every module' },
          { label: 'Docs', description: 'A page for each command' },
          { label: 'CI', description: 'Checks on every push' },
        ],
      },
    ]);
    if (answers.is === 'refused') return stage.say(`No answers, then: ${answers.reason}`);
    const lines = answers.answers.map(({ question: asked, answer }) => `- ${asked} → ${answer}`);
    await stage.say(lines.length === 0 ? 'I got no answers.' : `I got these answers:\n\n${lines.join('\n')}`);
  },
};

const planFile = 'demo-plan.md';
const planText = [
  '# A small, safe change',
  '',
  `1. Write \`${planFile}\` with this plan in it.`,
  '2. Touch nothing else.',
  '3. Tell you when it is done.',
].join('\n');

export const plan: Scene = {
  name: 'plan',
  about: 'makes a plan, waits for your approval or comments, then carries it out',
  changes: true,
  matches: (text) => /^(plan|make (me )?a plan|show me a plan)\b/i.test(text),
  play: async (stage) => {
    await stage.session.changeMode('plan');
    await stage.say('I am in plan mode: I look, think, and change nothing. Here is what I would do.');
    const decision = await stage.tool('ExitPlanMode', { plan: planText });
    if (decision.isError)
      return stage.say(
        `The plan came back with comments: ${decision.text}\n\nNothing was changed. I am still in plan mode; say \`plan\` to see it again.`,
      );
    const approved = typeof decision.input.plan === 'string' ? decision.input.plan : planText;
    const changed = approved === planText ? '' : ', with your changes';
    await stage.say(`The plan is approved${changed}. I go on in mode \`${stage.session.mode}\`.`);
    const file_path = join(stage.session.cwd, planFile);
    const written = await stage.tool('Write', { file_path, content: `${approved}\n` });
    await stage.say(
      written.isError ? `The file was not written: ${written.text}` : `Done: \`${planFile}\` is written.`,
    );
  },
};

const formSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Name', description: 'What shall I call the project?' },
    port: {
      type: 'number',
      title: 'Port',
      description: 'Where should it listen?',
      minimum: 1,
      maximum: 65535,
    },
    https: { type: 'boolean', title: 'HTTPS', description: 'Encrypt the connection?', default: true },
    tier: { type: 'string', title: 'Size', enum: ['small', 'medium', 'large'], default: 'small' },
  },
  required: ['name', 'tier'],
};

export const form: Scene = {
  name: 'form',
  about: 'asks you to fill in a form, as a tool of an MCP server would',
  matches: (text) => /^(form|show me a form|fill in a form|give me a form)\b/i.test(text),
  play: async (stage) => {
    await stage.say('A tool needs a few details that only you know.');
    const outcome = await stage.act('mcp__demo__set_up', {}, async () => {
      const request = {
        subtype: 'elicitation',
        mcp_server_name: 'demo',
        message: 'How should the project be set up?',
        mode: 'form',
        requested_schema: formSchema,
        property_order: Object.keys(formSchema.properties),
      };
      const answer = await stage.session.ask(request, stage.turn.signal);
      if (!answer.ok) return { content: `error: ${answer.reason}`, isError: true };
      const { action, content } = answer.response;
      return { content: JSON.stringify({ action, content }) };
    });
    await stage.say(`The form came back: \`${outcome.text}\``);
  },
};

export const ask: Scene = {
  name: 'ask',
  about: 'asks you something with `ask_user`, the built-in interactive tool',
  matches: (text) => /^ask(?!\s+me\b)\b/i.test(text),
  play: async (stage) => {
    await stage.say('There is one thing I cannot find out by myself.');
    const outcome = await callOurs(stage, 'ask_user', {
      question: 'Who should review this?',
      inputType: 'select',
      options: ['Ada', 'Grace', 'Nobody'],
    });
    const answer = outcome.isError ? undefined : parse(outcome.text);
    if (typeof answer?.answer === 'string') await stage.say(`**${answer.answer}** it is. Thank you!`);
    else await stage.say(`I got no answer: ${outcome.text}`);
  },
};

const callWords = /^call\s+([\w-]+)\s*(\{[\s\S]*\})?$/i;

export const call: Scene = {
  name: 'call TOOL {…}',
  about: 'calls an interactive tool of Beckon with these arguments, and shows what it gave back',
  matches: (text) => callWords.test(text),
  play: async (stage) => {
    const [, tool = '', given = '{}'] = callWords.exec(stage.text) ?? [];
    const input = parse(given);
    if (input === undefined) return stage.say(`These arguments are no JSON object: ${given}`);
    await stage.say(`I call \`${tool}\`.`);
    const { isError, text } = await callOurs(stage, tool, input);
    await stage.say(isError ? `It did not work out: ${text}` : `It gave back: ${text}`);
  },
};

const callOurs = (stage: Stage, tool: string, input: JsonObject): Promise<ToolOutcome> =>
  stage.tool(`mcp__beckon__${tool}`, input);

function parse(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export const subAgent: Scene = {
  name: 'subagent',
  about: 'hands work to a sub-agent, which asks you from inside',
  changes: true,
  matches: (text) => /^((use|start|show me|run)\s+)?(a\s+)?sub-?\s?agents?\b/i.test(text),
  play: async (stage) => {
    await stage.say('I hand this to a sub-agent.');
    const task = {
      description: 'Count the files here',
      prompt: 'Count the files in this directory and report the number.',
    };
    const found = await stage.delegate(task, async (inner) => {
      await inner.say('I will list the directory.');
      const { isError, text } = await inner.tool('Bash', { command: 'ls -A | wc -l' });
      await inner.say(isError ? `I could not count: ${text}` : `There are ${text.trim()} files.`);
    });
    await stage.say(`The sub-agent reports: ${found}`);
  },
};

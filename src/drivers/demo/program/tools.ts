import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type JsonObject, listAt, objectAt, textAt } from '../../fields.ts';
import type { PermissionMode, Session } from './session.ts';

interface ToolContext {
  readonly session: Session;
  readonly signal: AbortSignal;
  readonly toolUseId: string;
}

export interface ToolResult {
  readonly content: string | readonly JsonObject[];
  readonly isError?: boolean;
  /** The structured twin of the content, `tool_use_result` on the wire. */
  readonly structured?: unknown;
}

export interface Tool {
  readonly name: string;
  /** What it touches, which decides whether it asks: nothing, files, the machine, or a person. */
  readonly kind: 'free' | 'edit' | 'command' | 'person';
  run(input: JsonObject, context: ToolContext): Promise<ToolResult> | ToolResult;
}

/** Whether a call runs or asks, before any person is involved; any other text is why it is refused. */
export function verdictOn({ name, kind }: Tool, mode: PermissionMode): 'allow' | 'ask' | (string & {}) {
  if (kind === 'free') return 'allow';
  if (kind === 'person') return 'ask';
  switch (mode) {
    case 'bypassPermissions':
      return 'allow';
    case 'plan':
      return `Plan mode is on: ${name} must wait until the plan is approved.`;
    case 'acceptEdits':
      return kind === 'edit' ? 'allow' : 'ask';
    case 'dontAsk':
      return `Permission to use ${name} has been denied in don't-ask mode.`;
    case 'default':
    case 'auto':
      return 'ask';
  }
}

const commandLimitMs = 120_000;
const outputLimit = 30_000;
const lateOutputMs = 100;

const bash: Tool = {
  name: 'Bash',
  kind: 'command',
  run: (input, { session, signal }) => {
    const command = textAt(input, 'command') ?? '';
    // A process group of its own, as the real program does: an interrupt ends all of it.
    const child = spawn('/bin/sh', ['-c', command], {
      cwd: session.cwd,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => {
        output[name] = (output[name] + text).slice(0, outputLimit);
      });
    const end = (): void => endGroup(child.pid);
    const timer = setTimeout(end, commandLimitMs);
    signal.addEventListener('abort', end, { once: true });
    return new Promise<ToolResult>((settle) => {
      child.on('error', (error) => settle(failed(error.message)));
      child.on('exit', (code, ended) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        const report = (): void => settle(commandResult(code ?? `signal ${ended}`, output));
        // What the command left behind may hold the pipe open for ever: its own output is there by then.
        setTimeout(report, lateOutputMs).unref();
        child.once('close', report);
      });
    });
  },
};

function endGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL');
  } catch {
    // It ended by itself in the meantime.
  }
}

function commandResult(code: number | string, output: { stdout: string; stderr: string }): ToolResult {
  const [stdout, stderr] = [output.stdout.trimEnd(), output.stderr.trimEnd()];
  const shown = [stdout, stderr].filter((text) => text !== '').join('\n');
  if (code !== 0) return failed([`Exit code ${code}`, shown].filter((text) => text !== '').join('\n'));
  return { content: shown || '(Bash completed with no output)', structured: { stdout, stderr } };
}

const write: Tool = {
  name: 'Write',
  kind: 'edit',
  run: (input, context) =>
    onFile(input, context, (filePath) => {
      const content = textAt(input, 'content') ?? '';
      const type = existsSync(filePath) ? 'update' : 'create';
      mkdirSync(dirname(filePath), { recursive: true });
      writeFileSync(filePath, content);
      const structured = { type, filePath, content, structuredPatch: [] };
      return { content: `The file ${filePath} has been written.`, structured };
    }),
};

const edit: Tool = {
  name: 'Edit',
  kind: 'edit',
  run: (input, context) =>
    onFile(input, context, (filePath) => {
      const [oldString, newString] = [textAt(input, 'old_string') ?? '', textAt(input, 'new_string') ?? ''];
      const before = readFileSync(filePath, 'utf8');
      if (!before.includes(oldString))
        return failed(`String to replace not found in file.\nString: ${oldString}`);
      const after = before.replace(oldString, () => newString);
      writeFileSync(filePath, after);
      const structured = { filePath, oldString, newString, structuredPatch: [wholePatch(before, after)] };
      return { content: `The file ${filePath} has been updated successfully.`, structured };
    }),
};

function onFile(input: JsonObject, { session }: ToolContext, act: (path: string) => ToolResult): ToolResult {
  try {
    return act(resolve(session.cwd, textAt(input, 'file_path') ?? ''));
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  }
}

/** One hunk with the whole file: what the two have in common at both ends, and what differs between. */
function wholePatch(before: string, after: string): JsonObject {
  const [old, fresh] = [before, after].map((text) => text.replace(/\n$/, '').split('\n')) as [
    string[],
    string[],
  ];
  const most = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < most && old[head] === fresh[head]) head++;
  let tail = 0;
  while (tail < most - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail++;
  return {
    oldStart: 1,
    oldLines: old.length,
    newStart: 1,
    newLines: fresh.length,
    lines: [
      ...old.slice(0, head).map((line) => ` ${line}`),
      ...old.slice(head, old.length - tail).map((line) => `-${line}`),
      ...fresh.slice(head, fresh.length - tail).map((line) => `+${line}`),
      ...old.slice(old.length - tail).map((line) => ` ${line}`),
    ],
  };
}

const todoWrite: Tool = {
  name: 'TodoWrite',
  kind: 'free',
  run: (input) => ({
    content: 'Todos have been modified successfully.',
    structured: { oldTodos: [], newTodos: listAt(input, 'todos') },
  }),
};

/** Its answers come in with the allow, keyed by the exact text of each question; other keys are lost. */
const askUserQuestion: Tool = {
  name: 'AskUserQuestion',
  kind: 'person',
  run: (input) => {
    const answered = answersIn(input).map(({ question, answer }) => `"${question}"="${answer}"`);
    return {
      content: `Your questions have been answered: ${answered.join(', ')}. You can now continue with these answers in mind.`,
      structured: { questions: input.questions, answers: input.answers },
    };
  },
};

export interface Answered {
  readonly question: string;
  readonly answer: string;
}

export function answersIn(input: JsonObject): readonly Answered[] {
  const answers = objectAt(input, 'answers') ?? {};
  return listAt(input, 'questions').flatMap((entry) => {
    const question = textAt(entry, 'question') ?? '';
    const answer = textAt(answers, question);
    return answer === undefined ? [] : [{ question, answer }];
  });
}

const exitPlanMode: Tool = {
  name: 'ExitPlanMode',
  kind: 'person',
  run: async (input, { session }) => {
    await session.leavePlanMode();
    return {
      content: 'User has approved your plan. You can now start coding.',
      structured: { plan: textAt(input, 'plan') },
    };
  },
};

const tools = [askUserQuestion, bash, edit, exitPlanMode, todoWrite, write];

export const toolNames: readonly string[] = ['Task', ...tools.map(({ name }) => name)];
export const findTool = (name: string): Tool | undefined => tools.find((tool) => tool.name === name);

export const failed = (reason: string): ToolResult => ({
  content: reason,
  isError: true,
  structured: `Error: ${reason}`,
});

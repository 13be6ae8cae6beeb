import { type ChildProcess, spawn } from 'node:child_process';
import { type JsonObject, stringAt } from '../json.ts';
import type { Session } from '../session.ts';
import { failed, refusedInput, type Tool, type ToolContext, type ToolResult } from './tool.ts';

const OUTPUT_LIMIT = 30_000;
const DEFAULT_TIMEOUT_MS = 120_000;
const GRACE_MS = 1_000;
const LATE_OUTPUT_MS = 100;

export const bash: Tool = {
  name: 'Bash',
  kind: 'command',
  concurrent: false,
  subject: (input) => stringAt(input, 'command') ?? '',
  describe: (input) => stringAt(input, 'description') ?? stringAt(input, 'command') ?? '',
  suggest: (input) => [
    {
      type: 'addRules',
      rules: [{ toolName: 'Bash', ruleContent: ruleFor(stringAt(input, 'command') ?? '') }],
      behavior: 'allow',
      destination: 'localSettings',
    },
  ],
  run: (input, context) => {
    const command = stringAt(input, 'command');
    if (command === undefined || command === '') return refusedInput('Bash', 'command');
    return input.run_in_background === true
      ? runBehind(command, context)
      : runCommand(command, input, context);
  },
};

function runCommand(command: string, input: JsonObject, context: ToolContext): Promise<ToolResult> {
  const child = startShell(command, context.session);
  const output = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output.stdout = (output.stdout + text).slice(0, OUTPUT_LIMIT);
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output.stderr = (output.stderr + text).slice(0, OUTPUT_LIMIT);
  });
  return new Promise((resolve) => {
    const timeout = typeof input.timeout === 'number' ? input.timeout : DEFAULT_TIMEOUT_MS;
    const timer = setTimeout(() => endGroup(child), timeout);
    const settle = (result: ToolResult): void => {
      clearTimeout(timer);
      context.signal.removeEventListener('abort', stop);
      resolve(result);
    };
    const stop = (): void => {
      child.once('exit', () => settle(failed('The command was stopped.')));
      endGroup(child);
    };
    context.signal.addEventListener('abort', stop, { once: true });
    child.on('error', (error) => settle(failed(error.message)));
    child.on('exit', (code, signal) => {
      const report = (): void => settle(resultOf(code ?? signalCode(signal), output));
      // What the command left behind may hold the pipe open for ever: its own output is there by then.
      const late = setTimeout(report, LATE_OUTPUT_MS);
      child.once('close', () => {
        clearTimeout(late);
        report();
      });
    });
  });
}

/** Leaves the command running and gives its first line of output, so that what it started can be found. */
function runBehind(command: string, context: ToolContext): Promise<ToolResult> {
  const child = startShell(command, context.session);
  child.unref();
  return new Promise((resolve) => {
    child.on('error', (error) => resolve(failed(error.message)));
    child.on('exit', () => resolve(failed('The command ended before it printed anything.')));
    child.stdout?.setEncoding('utf8').once('data', (text: string) => {
      const structured = {
        stdout: text.trim(),
        stderr: '',
        interrupted: false,
        backgroundTaskId: String(child.pid),
      };
      resolve({
        content: `Command running in background with ID: ${child.pid}. Output so far:\n${text.trim()}`,
        structured,
      });
    });
  });
}

/** A session and process group of its own, as the real program does: whoever ends us must look for it. */
function startShell(command: string, session: Session): ChildProcess {
  const child = spawn('/bin/sh', ['-c', command], {
    cwd: session.cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const leader = child.pid;
  if (leader !== undefined) {
    session.commands.add(leader);
    child.once('exit', () => session.commands.delete(leader));
  }
  return child;
}

function endGroup(child: ChildProcess): void {
  signalGroup(child, 'SIGTERM');
  const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), GRACE_MS);
  child.once('exit', () => clearTimeout(timer));
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group ended by itself in the meantime.
  }
}

function resultOf(code: number, { stdout, stderr }: { stdout: string; stderr: string }): ToolResult {
  const shown = [stdout, stderr]
    .map((text) => text.trimEnd())
    .filter((text) => text !== '')
    .join('\n');
  if (code !== 0) return failed(`Exit code ${code}${shown === '' ? '' : `\n${shown}`}`);
  return {
    content: shown === '' ? '(Bash completed with no output)' : shown,
    isError: false,
    structured: {
      stdout: stdout.trimEnd(),
      stderr: stderr.trimEnd(),
      interrupted: false,
      isImage: false,
      noOutputExpected: false,
    },
  };
}

function signalCode(signal: NodeJS.Signals | null): number {
  return signal === 'SIGKILL' ? 137 : 143;
}

function ruleFor(command: string): string {
  const words = command.split(/\s+/);
  return words.length > 2 && !/[;&|<>`$()\n]/.test(command) ? `${words.slice(0, 2).join(' ')} *` : command;
}

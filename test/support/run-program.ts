import { type ChildProcess, spawn } from 'node:child_process';

export interface ProgramResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const running = new Set<ChildProcess>();

export interface StartedProgram {
  stdout(): string;
  stderr(): string;
  readonly ended: Promise<ProgramResult>;
}

interface ProgramOptions {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Runs a program to its end. `endPrograms` belongs into `afterEach`. */
export const runProgram = (
  program: string,
  args: readonly string[],
  options: ProgramOptions,
): Promise<ProgramResult> => startProgram(program, args, options).ended;

/** Starts a program that goes on by itself. `endPrograms` belongs into `afterEach`. */
export function startProgram(
  program: string,
  args: readonly string[],
  options: ProgramOptions,
): StartedProgram {
  const child = spawn(program, args, { env: process.env, ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<ProgramResult>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      running.delete(child);
      resolve({ code, stdout, stderr });
    });
  });
  return { stdout: () => stdout, stderr: () => stderr, ended };
}

export function endPrograms(): void {
  for (const child of running) child.kill('SIGKILL');
}

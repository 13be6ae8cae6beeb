import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { isolations } from '../drivers/process/walls.ts';
import { AskTimeout } from '../protocol/session.ts';
import type { Environment } from './console.ts';
import { Failure } from './failure.ts';
import { absolute } from './paths.ts';

export const deciders = ['anyone', 'devices'] as const;

const Config = z.strictObject({
  port: z.number().int().min(0).max(65_535).optional(),
  host: z.string().min(1).optional(),
  /** Names by which a browser may reach the server when it is bound to more than this machine. */
  allowedHosts: z.array(z.string().min(1)).optional(),
  open: z.boolean().optional(),
  claude: z.string().min(1).optional(),
  keepAgents: z.boolean().optional(),
  ephemeral: z.boolean().optional(),
  decide: z.enum(deciders).optional(),
  isolation: z.enum(isolations).optional(),
  tools: z.array(z.string().min(1)).optional(),
  roots: z.array(z.string().min(1)).min(1).optional(),
  maxProcesses: z.number().int().min(1).optional(),
  idleMinutes: z.number().positive().optional(),
  askTimeout: AskTimeout.optional(),
  deferAsksMinutes: z.number().min(0).optional(),
  agents: z
    .record(
      z.string(),
      z.strictObject({
        enabled: z.boolean().optional(),
        driver: z.literal('acp').optional(),
        command: z.string().min(1).optional(),
        args: z.array(z.string()).optional(),
        env: z.record(z.string(), z.string()).optional(),
        label: z.string().min(1).optional(),
      }),
    )
    .optional(),
});
export type Config = z.infer<typeof Config>;

/** Reads the configuration; paths in it are relative to it. A missing file is an error only if it was named. */
export async function readConfigFile(path: string, isNamed: boolean, env: Environment): Promise<Config> {
  const text = await contentOf(path, isNamed);
  return text === undefined ? {} : checkConfig(json(text, path), path, dirname(path), env);
}

/** Checks a configuration, and makes the paths in it absolute. */
export function checkConfig(given: unknown, source: string, folder: string, env: Environment): Config {
  const checked = Config.safeParse(given);
  if (!checked.success) throw new Failure(`${source}: ${checked.error.issues.map(sentence).join('; ')}`);
  const { tools, roots, agents, ...rest } = checked.data;
  const fromHere = (entry: string) => absolute(entry, folder, env);
  // A name without a slash is looked for on PATH.
  const program = (command: string) => (command.includes('/') ? fromHere(command) : command);
  return {
    ...rest,
    ...(agents === undefined ? {} : { agents: withPrograms(agents, program) }),
    ...(tools === undefined ? {} : { tools: tools.map(fromHere) }),
    ...(roots === undefined ? {} : { roots: roots.map(fromHere) }),
  };
}

function withPrograms(
  agents: NonNullable<Config['agents']>,
  program: (command: string) => string,
): NonNullable<Config['agents']> {
  const entries = Object.entries(agents).map(([name, { command, ...rest }]) => [
    name,
    { ...rest, ...(command === undefined ? {} : { command: program(command) }) },
  ]);
  return Object.fromEntries(entries);
}

async function contentOf(path: string, isNamed: boolean): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (!isNamed && (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Failure(`the configuration ${path} cannot be read: ${(error as Error).message}`);
  }
}

function json(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Failure(`${path} is no JSON: ${(error as Error).message}`);
  }
}

function sentence(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys')
    return `unknown field ${issue.keys.map((key) => `"${key}"`).join(', ')}`;
  const field = issue.path.join('.');
  return field === '' ? issue.message : `field "${field}": ${issue.message}`;
}

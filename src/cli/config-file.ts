import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { AskTimeout } from '../protocol/session.ts';
import type { Environment } from './console.ts';
import { Failure } from './failure.ts';
import { absolute } from './paths.ts';

const Config = z.strictObject({
  port: z.number().int().min(0).max(65_535).optional(),
  host: z.string().min(1).optional(),
  /** Names by which a browser may reach the server when it is bound to more than this machine. */
  allowedHosts: z.array(z.string().min(1)).optional(),
  open: z.boolean().optional(),
  claude: z.string().min(1).optional(),
  tools: z.array(z.string().min(1)).optional(),
  roots: z.array(z.string().min(1)).min(1).optional(),
  maxProcesses: z.number().int().min(1).optional(),
  idleMinutes: z.number().positive().optional(),
  askTimeout: AskTimeout.optional(),
  agents: z.record(z.string(), z.strictObject({ enabled: z.boolean().optional() })).optional(),
});
export type Config = z.infer<typeof Config>;

/** Reads the configuration; paths in it are relative to it. A missing file is an error only if it was named. */
export async function readConfigFile(path: string, isNamed: boolean, env: Environment): Promise<Config> {
  const text = await contentOf(path, isNamed);
  if (text === undefined) return {};
  const checked = Config.safeParse(json(text, path));
  if (!checked.success) throw new Failure(`${path}: ${checked.error.issues.map(sentence).join('; ')}`);
  const { tools, roots, ...rest } = checked.data;
  const fromHere = (entry: string) => absolute(entry, dirname(path), env);
  return {
    ...rest,
    ...(tools === undefined ? {} : { tools: tools.map(fromHere) }),
    ...(roots === undefined ? {} : { roots: roots.map(fromHere) }),
  };
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

import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { knownAgents } from '../drivers/acp/known-agents.ts';
import { permissionModes } from '../drivers/claude/initialized.ts';
import { isolations } from '../drivers/process/walls.ts';
import { messageOf } from '../protocol/errors.ts';
import { nearestName } from '../protocol/nearest.ts';
import { AskTimeout, WhileBusy } from '../protocol/session.ts';
import type { Environment } from './console.ts';
import { Failure } from './failure.ts';
import { absolute } from './paths.ts';

export const deciders = ['anyone', 'devices'] as const;

/** Agents that have a driver of their own; the modes of all of them are Claude Code's. */
const builtIn = ['claude', 'claude-sdk', 'demo'];

const AgentConfig = z.strictObject({
  enabled: z.boolean().optional(),
  driver: z.literal('acp').optional(),
  command: z.string().min(1).optional(),
  args: z.array(z.string()).optional(),
  label: z.string().min(1).optional(),
  /** For sessions that name none. */
  permissionMode: z.string().min(1).max(100).optional(),
  /** Under what a session gives itself. A process cannot be started with a zero byte, nor with "=" in a name. */
  env: z
    .record(z.string(), z.string().regex(/^[^\0]*$/, 'a variable cannot hold a zero byte'))
    .superRefine((variables, { addIssue }) => {
      for (const name of Object.keys(variables)) {
        if (!/^[^=\0]+$/.test(name))
          addIssue({ code: 'custom', path: [name], message: 'this is no name for a variable' });
      }
    })
    .optional(),
});
export type AgentConfig = z.infer<typeof AgentConfig>;

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
  askTimeout: AskTimeout.strict().optional(),
  deferAsksMinutes: z.number().min(0).optional(),
  whileBusy: WhileBusy.optional(),
  agents: z
    .record(z.string(), AgentConfig)
    .superRefine((agents, { addIssue }) => {
      for (const [name, agent] of Object.entries(agents)) {
        for (const [field, message] of problemsOf(name, agent))
          addIssue({ code: 'custom', path: field === '' ? [name] : [name, field], message });
      }
    })
    .optional(),
});
export type Config = z.infer<typeof Config>;

/** What is wrong with an agent of the file beyond the types of its fields: by field, or by none where it is the agent itself. */
function problemsOf(
  name: string,
  agent: AgentConfig,
): readonly (readonly [field: string, message: string])[] {
  const known = [...builtIn, ...knownAgents.map((each) => each.name)];
  const program = (['driver', 'command', 'args', 'label'] as const).find((each) => agent[each] !== undefined);
  if (builtIn.includes(name)) {
    if (program !== undefined) return [[program, `"${name}" is built in; give yours another name`]];
    const { permissionMode: mode } = agent;
    return mode === undefined || permissionModes.includes(mode)
      ? []
      : [['permissionMode', `there is no mode "${mode}"${meant(mode, permissionModes)}`]];
  }
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name))
    return [['', `"${name}" is no name for an agent: letters, digits, "-", "." and "_" are`]];
  if (known.includes(name)) return [];
  if (agent.driver === undefined)
    return program === undefined
      ? [['', `there is no agent "${name}"${meant(name, known)}`]]
      : [['', `it has a "${program}" and no "driver"`]];
  return agent.command === undefined ? [['', 'it has no "command"']] : [];
}

const meant = (name: string, known: readonly string[]): string => {
  const nearest = nearestName(name, known);
  return nearest === undefined ? '' : `; did you mean "${nearest}"?`;
};

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
    throw new Failure(`the configuration ${path} cannot be read: ${messageOf(error)}`);
  }
}

function json(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser quotes what it could not read, which may be a variable's value.
    throw new Failure(`${path} is no JSON: ${messageOf(error).replace(/, (\.\.\.)?".*$/s, '')}`);
  }
}

function sentence(issue: z.core.$ZodIssue): string {
  const field = (...keys: PropertyKey[]): string => `"${[...issue.path, ...keys].join('.')}"`;
  if (issue.code !== 'unrecognized_keys')
    return issue.path.length === 0 ? issue.message : `field ${field()}: ${issue.message}`;
  return issue.keys.map((key) => `unknown field ${field(key)}${meant(key, fieldsAt(issue.path))}`).join('; ');
}

/** The fields that are known at this place of the file. */
function fieldsAt([top]: readonly PropertyKey[]): readonly string[] {
  if (top === undefined) return Object.keys(Config.shape);
  return Object.keys(top === 'agents' ? AgentConfig.shape : AskTimeout.shape);
}

import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { type AcpAgent, knownAgents } from '../drivers/acp/known-agents.ts';
import { permissionModes } from '../drivers/claude/initialized.ts';
import { isolations } from '../drivers/process/walls.ts';
import { isRecord } from '../model/json-pointer.ts';
import { faultsIn } from '../protocol/check.ts';
import { messageOf } from '../protocol/errors.ts';
import { nearestName } from '../protocol/nearest.ts';
import { AskTimeout, WhileBusy } from '../protocol/session.ts';
import { parsePublicUrl } from '../server/public-url.ts';
import type { Environment } from './console.ts';
import { Failure } from './failure.ts';
import { notificationFields } from './notification-settings.ts';
import { absolute } from './paths.ts';

export const deciders = ['anyone', 'devices'] as const;

/** How long a message may wait until the files before its turn are recorded. */
export const recordingSeconds = z.number().min(0).max(600);

/** Agents that have a driver of their own; the modes of all of them are Claude Code's. */
export const builtIn: readonly string[] = ['claude', 'claude-sdk', 'demo'];

const AgentConfig = z.strictObject({
  enabled: z.boolean().optional(),
  /** `acp`, or the file of a driver; then the entry's other fields are options of its own. */
  driver: z.string().min(1).optional(),
  command: z.string().min(1).optional(),
  args: z.array(z.string()).optional(),
  label: z.string().min(1).optional(),
  /** How long the agent waits for a tool of ours; before that a question is left open. */
  toolLimitSeconds: z.number().positive().optional(),
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
export interface AgentConfig extends z.infer<typeof AgentConfig> {
  /** What a driver's file is given. */
  readonly options?: Readonly<Record<string, unknown>>;
}

const ofEveryAgent: readonly string[] = [
  'enabled',
  'driver',
  'label',
  'permissionMode',
  'env',
] satisfies (keyof AgentConfig)[];
const isFile = (driver: unknown): driver is string =>
  typeof driver === 'string' && (/[/\\]/.test(driver) || /\.[cm]?[jt]s$/.test(driver));

const Config = z.strictObject({
  port: z.number().int().min(0).max(65_535).optional(),
  host: z.string().min(1).optional(),
  /** Names by which a browser may reach the server when it is bound to more than this machine. */
  allowedHosts: z.array(z.string().min(1)).optional(),
  /** The address of a proxy in front of the server: links lead there, and its pages are let in. */
  publicUrl: z
    .string()
    .superRefine((text, { addIssue }) => {
      const parsed = parsePublicUrl(text);
      if ('problem' in parsed) addIssue({ code: 'custom', message: parsed.problem });
    })
    .optional(),
  open: z.boolean().optional(),
  /** The program to run as Claude Code; without it, the one on PATH. */
  claude: z.string().min(1).optional(),
  /** When the server is asked to end, its agents go on for the next one. */
  keepAgents: z.boolean().optional(),
  /** Agents end with the server, whatever ends it. */
  ephemeral: z.boolean().optional(),
  decide: z.enum(deciders).optional(),
  /** Whether agents are kept from the files and processes of the server and of each other. */
  isolation: z.enum(isolations).optional(),
  /** Files of interactive tools. One that is missing is a problem that is told, and keeps nothing else from working. */
  tools: z.array(z.string().min(1)).optional(),
  /** Where sessions may work; without it, anywhere. */
  roots: z.array(z.string().min(1)).min(1).optional(),
  maxProcesses: z.number().int().min(1).optional(),
  idleMinutes: z.number().positive().optional(),
  askTimeout: AskTimeout.strict().optional(),
  /** How long a question may wait until its agent sleeps, where it can; 0 for as long as it takes. */
  deferAsksMinutes: z.number().min(0).optional(),
  recordingSeconds: recordingSeconds.optional(),
  /** What messages of people do while an agent works. */
  whileBusy: WhileBusy.optional(),
  ...notificationFields,
  push: z
    .strictObject({
      /** Where those who run push services find whoever sends. */
      subject: z
        .string()
        .regex(/^(?:https:\/\/|mailto:)./, 'it begins with "https://" or "mailto:"')
        .optional(),
    })
    .optional(),
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
export interface Config extends Omit<z.infer<typeof Config>, 'agents'> {
  agents?: Readonly<Record<string, AgentConfig>> | undefined;
}

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
  if (isFile(agent.driver)) return [];
  if (agent.driver !== undefined && agent.driver !== 'acp')
    return [['driver', `there is no driver "${agent.driver}": "acp", or the path of a file`]];
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
  const { plain, options } = withoutOptions(given);
  const faults = faultsIn(Config, plain);
  if (faults.length > 0) throw new Failure(`${source}: ${faults.join('; ')}`);
  const { tools, roots, agents, ...rest } = Config.parse(plain);
  const fromHere = (entry: string) => absolute(entry, folder, env);
  return {
    ...rest,
    ...(agents === undefined ? {} : { agents: wholeAgents(agents, options, fromHere) }),
    ...(tools === undefined ? {} : { tools: tools.map(fromHere) }),
    ...(roots === undefined ? {} : { roots: roots.map(fromHere) }),
  };
}

/** A configuration without what is for the files of drivers alone to check, and that, by the names of their agents. */
function withoutOptions(given: unknown): {
  readonly plain: unknown;
  readonly options: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
} {
  const options = new Map<string, Readonly<Record<string, unknown>>>();
  if (!isRecord(given) || !isRecord(given.agents)) return { plain: given, options };
  const agents = Object.entries(given.agents).map(([name, entry]) => {
    if (!isRecord(entry) || !isFile(entry.driver)) return [name, entry];
    const fields = Object.groupBy(Object.entries(entry), ([field]) =>
      ofEveryAgent.includes(field) ? 'common' : 'own',
    );
    options.set(name, Object.fromEntries(fields.own ?? []));
    return [name, Object.fromEntries(fields.common ?? [])];
  });
  return { plain: { ...given, agents: Object.fromEntries(agents) }, options };
}

function wholeAgents(
  agents: NonNullable<z.infer<typeof Config>['agents']>,
  options: ReadonlyMap<string, Readonly<Record<string, unknown>>>,
  fromHere: (path: string) => string,
): Readonly<Record<string, AgentConfig>> {
  const entries = Object.entries(agents).map(([name, { command, driver, ...rest }]) => [
    name,
    {
      ...rest,
      ...(driver !== undefined && { driver: isFile(driver) ? fromHere(driver) : driver }),
      // A name without a slash is looked for on PATH.
      ...(command !== undefined && { command: command.includes('/') ? fromHere(command) : command }),
      ...(options.has(name) && { options: options.get(name) }),
    },
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

/** The agents to reach by the Agent Client Protocol: those of the configuration, and those that are known by name. */
export function acpAgents(configured: Config['agents'] = {}): readonly AcpAgent[] {
  const named = Object.entries(configured).flatMap(([name, settings]) => agentOf(name, settings));
  return [...named, ...knownAgents.filter(({ name }) => !Object.hasOwn(configured, name))];
}

function agentOf(name: string, settings: AgentConfig): AcpAgent[] {
  const { driver, enabled, command, args, env, label, toolLimitSeconds } = settings;
  const known = knownAgents.find((agent) => agent.name === name);
  const program = command ?? known?.command;
  if (isFile(driver) || (driver === undefined && !known) || program === undefined || enabled === false)
    return [];
  const { package: _, ...elsewhere } = known ?? {};
  return [
    {
      // With another program the arguments of the known one mean nothing, and its package is not looked for.
      ...(command === undefined ? known : elsewhere),
      name,
      label: label ?? known?.label ?? name,
      command: program,
      args: args ?? (command === undefined ? known?.args : undefined) ?? [],
      ...(toolLimitSeconds !== undefined && { toolLimitMs: toolLimitSeconds * 1000 }),
      ...((known?.env || env) && { env: { ...known?.env, ...env } }),
    },
  ];
}

/** The agents whose drivers are files of the person's own. */
export function driverFiles(configured: Config['agents'] = {}): readonly DriverFile[] {
  return Object.entries(configured).flatMap(([name, { driver, label, options = {}, enabled }]) =>
    isFile(driver) && enabled !== false ? [{ name, file: driver, label, options }] : [],
  );
}

export interface DriverFile {
  readonly name: string;
  readonly file: string;
  readonly label: string | undefined;
  readonly options: Readonly<Record<string, unknown>>;
}

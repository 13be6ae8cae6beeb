import { delimiter, join } from 'node:path';
import type { AcpAgent } from '../drivers/acp/known-agents.ts';
import { type Isolation, isolations } from '../drivers/process/walls.ts';
import type { AskTimeout, WhileBusy } from '../protocol/session.ts';
import type { LaunchDefaults } from '../runner/local-runner.ts';
import type { WhoDecides } from '../server/auth/guard.ts';
import { acpAgents, type Config, deciders, readConfigFile } from './config-file.ts';
import type { Console, Environment } from './console.ts';
import { UsageError } from './failure.ts';
import { choiceFlag, type FlagDefinitions, isSet, listFlag, type ParsedFlags, textFlag } from './flags.ts';
import { absolute, dataDirectoryOf } from './paths.ts';

export interface Settings {
  readonly port: number;
  readonly host: string;
  readonly allowedHosts: readonly string[];
  readonly dataDir: string;
  readonly open: boolean;
  /** Files of interactive tools. One that is missing is a problem that is told, and keeps nothing else from working. */
  readonly tools: readonly string[];
  /** The program to run as Claude Code; without it, the one on PATH. */
  readonly claude: string | undefined;
  /** Where sessions may work; empty means anywhere. */
  readonly roots: readonly string[];
  readonly defaultCwd: string;
  readonly maxProcesses: number;
  readonly idleMinutes: number;
  readonly askTimeout: AskTimeout | undefined;
  /** How long a question may wait until its agent sleeps, where it can; 0 for as long as it takes. */
  readonly deferAsksMinutes: number;
  /** What messages of people do while an agent works. */
  readonly whileBusy: WhileBusy;
  readonly disabledAgents: readonly string[];
  /** How agents are started where a session does not say it, by their names. */
  readonly launch: Readonly<Record<string, LaunchDefaults>>;
  /** When the server is asked to end, its agents go on for the next one. */
  readonly keepAgents: boolean;
  /** Who decides for a person. */
  readonly decide: WhoDecides;
  /** Agents end with the server, whatever ends it. */
  readonly ephemeral: boolean;
  /** Whether agents are kept from the files and processes of the server and of each other. */
  readonly isolation: Isolation;
  /** Agents that are reached by the Agent Client Protocol. */
  readonly acpAgents: readonly AcpAgent[];
}

export const serveFlags = {
  port: { type: 'string' },
  host: { type: 'string' },
  'data-dir': { type: 'string' },
  'no-open': { type: 'boolean' },
  tools: { type: 'string', multiple: true },
  config: { type: 'string' },
  claude: { type: 'string' },
  'keep-agents': { type: 'boolean' },
  ephemeral: { type: 'boolean' },
  decide: { type: 'string' },
  isolation: { type: 'string' },
} as const satisfies FlagDefinitions;

/** What to serve: flags before environment before configuration file before defaults. */
export async function readSettings(flags: ParsedFlags, console: Console): Promise<Settings> {
  const { env, cwd } = console;
  const dataDir = dataDirectoryOf(flags, console);
  const config = await readConfig(flags, console, dataDir);
  const port = textFlag(flags, 'port') ?? env.BECKON_PORT;
  const asked = {
    ...config,
    port: port ? portOf(port) : config.port,
    host: textFlag(flags, 'host') || env.BECKON_HOST || config.host,
    open: isSet(flags, 'no-open') || isOn(env.BECKON_NO_OPEN) ? false : config.open,
    tools: toolsOf(flags, console) ?? config.tools,
    keepAgents: isSet(flags, 'keep-agents') || isOn(env.BECKON_KEEP_AGENTS) || config.keepAgents,
    ephemeral: isSet(flags, 'ephemeral') || isOn(env.BECKON_EPHEMERAL) || config.ephemeral,
    isolation: isolationOf(textFlag(flags, 'isolation') ?? env.BECKON_ISOLATION) ?? config.isolation,
    claude: textFlag(flags, 'claude') || env.BECKON_CLAUDE || config.claude,
    decide: whoDecides(flags, env) ?? config.decide,
  };
  return settingsOf(asked, { dataDir, cwd, env });
}

/** A configuration with everything filled in that it leaves open. */
export function settingsOf(
  config: Config,
  { dataDir, cwd, env }: { readonly dataDir: string } & Pick<Console, 'cwd' | 'env'>,
): Settings {
  return {
    dataDir,
    port: config.port ?? 4590,
    host: config.host ?? '127.0.0.1',
    allowedHosts: config.allowedHosts ?? [],
    open: config.open ?? true,
    tools: config.tools ?? [],
    keepAgents: config.keepAgents ?? false,
    ephemeral: config.ephemeral ?? false,
    decide: config.decide ?? 'anyone',
    isolation: config.isolation ?? 'auto',
    claude: programOf(config.claude, { cwd, env }),
    roots: config.roots ?? [],
    defaultCwd: cwd,
    maxProcesses: config.maxProcesses ?? 250,
    idleMinutes: config.idleMinutes ?? 30,
    askTimeout: config.askTimeout,
    deferAsksMinutes: config.deferAsksMinutes ?? 240,
    acpAgents: acpAgents(config.agents, env),
    whileBusy: config.whileBusy ?? 'queue',
    launch: config.agents ?? {},
    disabledAgents: Object.entries(config.agents ?? {}).flatMap(([name, { enabled }]) =>
      enabled === false ? [name] : [],
    ),
  };
}

/** A name is looked for on PATH; a path may begin at home. */
const programOf = (
  named: string | undefined,
  { env, cwd }: Pick<Console, 'cwd' | 'env'>,
): string | undefined => (named?.startsWith('~/') ? absolute(named, cwd, env) : named);

function readConfig(flags: ParsedFlags, { env, cwd }: Console, dataDir: string): Promise<Config> {
  const named = textFlag(flags, 'config') || env.BECKON_CONFIG;
  return named
    ? readConfigFile(absolute(named, cwd, env), true, env)
    : readConfigFile(join(dataDir, 'config.json'), false, env);
}

/** A word that is not known must not leave everyone to decide. */
function whoDecides(flags: ParsedFlags, env: Environment): WhoDecides | undefined {
  const given = choiceFlag(flags, 'decide', deciders) ?? env.BECKON_DECIDE;
  if (given === undefined || given === '') return undefined;
  const known = deciders.find((each) => each === given);
  if (known === undefined)
    throw new UsageError(`BECKON_DECIDE must be one of ${deciders.join(', ')}, not "${given}"`);
  return known;
}

function isolationOf(text: string | undefined): Isolation | undefined {
  if (text === undefined || text === '') return undefined;
  const known = isolations.find((each) => each === text);
  if (known === undefined)
    throw new UsageError(`the isolation must be ${isolations.join(', ')}, not "${text}"`);
  return known;
}

function portOf(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new UsageError(`the port must be a number from 0 to 65535, not "${text}"`);
  return port;
}

/** `--tools a.ts b.ts` and `--tools a.ts --tools b.ts` say the same; other words have no place in this command line. */
function toolsOf(flags: ParsedFlags, { env, cwd }: Console): string[] | undefined {
  const tools: string[] = [];
  let isInTools = false;
  for (const argument of flags.ordered) {
    if (argument.kind === 'flag') isInTools = argument.name === 'tools';
    else if (!isInTools)
      throw new UsageError(`unexpected argument "${argument.value}": a command must come first`);
    else tools.push(argument.value);
  }
  tools.unshift(...listFlag(flags, 'tools'));
  if (tools.length > 0) return tools.map((file) => absolute(file, cwd, env));
  return env.BECKON_TOOLS
    ? env.BECKON_TOOLS.split(delimiter).map((file) => absolute(file, cwd, env))
    : undefined;
}

const isOn = (value: Environment[string]): boolean => /^(1|true|yes|on)$/i.test(value ?? '');

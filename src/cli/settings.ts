import { delimiter, join } from 'node:path';
import { isolations } from '../drivers/process/walls.ts';
import type { LaunchDefaults } from '../runner/local-runner.ts';
import { type PublicUrl, parsePublicUrl } from '../server/public-url.ts';
import {
  acpAgents,
  type Config,
  deciders,
  driverFiles,
  readConfigFile,
  recordingSeconds,
} from './config-file.ts';
import type { Console, Environment } from './console.ts';
import { UsageError } from './failure.ts';
import { choiceFlag, type FlagDefinitions, isSet, listFlag, type ParsedFlags, textFlag } from './flags.ts';
import { notificationSettings } from './notification-settings.ts';
import { absolute, dataDirectoryOf } from './paths.ts';

export const serveFlags = {
  port: { type: 'string' },
  host: { type: 'string' },
  'public-url': { type: 'string' },
  'data-dir': { type: 'string' },
  'no-open': { type: 'boolean' },
  tools: { type: 'string', multiple: true },
  config: { type: 'string' },
  claude: { type: 'string' },
  'keep-agents': { type: 'boolean' },
  ephemeral: { type: 'boolean' },
  decide: { type: 'string' },
  isolation: { type: 'string' },
  cluster: { type: 'string' },
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
    publicUrl: textFlag(flags, 'public-url') || env.BECKON_PUBLIC_URL || config.publicUrl,
    open: isSet(flags, 'no-open') || isOn(env.BECKON_NO_OPEN) ? false : config.open,
    tools: toolsOf(flags, console) ?? config.tools,
    keepAgents: isSet(flags, 'keep-agents') || isOn(env.BECKON_KEEP_AGENTS) || config.keepAgents,
    ephemeral: isSet(flags, 'ephemeral') || isOn(env.BECKON_EPHEMERAL) || config.ephemeral,
    isolation: choiceOf(flags, env, 'isolation', isolations) ?? config.isolation,
    claude: textFlag(flags, 'claude') || env.BECKON_CLAUDE || config.claude,
    decide: choiceOf(flags, env, 'decide', deciders) ?? config.decide,
    recordingSeconds: env.BECKON_RECORDING_SECONDS
      ? secondsOf(env.BECKON_RECORDING_SECONDS)
      : config.recordingSeconds,
  };
  return settingsOf(asked, { dataDir, cwd, env });
}

/** The file by which this server has its other machines, if it has any. */
export function clusterFileOf(flags: ParsedFlags, { env, cwd }: Console): string | undefined {
  const given = textFlag(flags, 'cluster') ?? env.BECKON_CLUSTER;
  return given ? absolute(given, cwd, env) : undefined;
}

export type Settings = ReturnType<typeof settingsOf>;

/** A configuration with everything filled in that it leaves open. */
export function settingsOf(
  { claude, agents = {}, askTimeout, ...config }: Config,
  { dataDir, cwd, env }: { readonly dataDir: string } & Pick<Console, 'cwd' | 'env'>,
) {
  return {
    dataDir,
    defaultCwd: cwd,
    port: config.port ?? 4590,
    host: config.host ?? '127.0.0.1',
    allowedHosts: config.allowedHosts ?? [],
    publicUrl: config.publicUrl === undefined ? undefined : publicUrlOf(config.publicUrl),
    open: config.open ?? true,
    tools: config.tools ?? [],
    keepAgents: config.keepAgents ?? false,
    ephemeral: config.ephemeral ?? false,
    decide: config.decide ?? 'anyone',
    isolation: config.isolation ?? 'auto',
    // A name is looked for on PATH; a path may begin at home.
    claude: claude?.startsWith('~/') ? absolute(claude, cwd, env) : claude,
    roots: config.roots ?? [],
    maxProcesses: config.maxProcesses ?? 250,
    idleMinutes: config.idleMinutes ?? 30,
    askTimeout,
    deferAsksMinutes: config.deferAsksMinutes ?? 240,
    recordingSeconds: config.recordingSeconds ?? 2,
    whileBusy: config.whileBusy ?? 'queue',
    notifications: notificationSettings(config),
    push: {
      // Apple refuses names that only a local network knows; this one is nobody's.
      subject: config.push?.subject ?? 'mailto:nobody@example.com',
      /** For a stand-in push service; no request can set it. */
      allowLoopback: isOn(env.BECKON_PUSH_LOOPBACK),
    },
    acpAgents: acpAgents(agents),
    driverFiles: driverFiles(agents),
    /** How agents are started where a session does not say it, by their names. */
    launch: agents satisfies Readonly<Record<string, LaunchDefaults>>,
    disabledAgents: Object.keys(agents).filter((name) => agents[name]?.enabled === false),
  };
}

function readConfig(flags: ParsedFlags, { env, cwd }: Console, dataDir: string): Promise<Config> {
  const named = textFlag(flags, 'config') || env.BECKON_CONFIG;
  return named
    ? readConfigFile(absolute(named, cwd, env), true, env)
    : readConfigFile(join(dataDir, 'config.json'), false, env);
}

/** A word that is not known must not be taken for none: it would leave everyone to decide, or agents without walls. */
function choiceOf<T extends string>(
  flags: ParsedFlags,
  env: Environment,
  name: string,
  choices: readonly T[],
): T | undefined {
  const variable = `BECKON_${name.toUpperCase()}`;
  const given = choiceFlag(flags, name, choices) ?? env[variable];
  if (given === undefined || given === '') return undefined;
  const known = choices.find((each) => each === given);
  if (known === undefined)
    throw new UsageError(`${variable} must be one of ${choices.join(', ')}, not "${given}"`);
  return known;
}

function publicUrlOf(text: string): PublicUrl {
  const parsed = parsePublicUrl(text);
  if ('problem' in parsed)
    throw new UsageError(`the public address "${text}" cannot be used: ${parsed.problem}`);
  return parsed;
}

function portOf(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new UsageError(`the port must be a number from 0 to 65535, not "${text}"`);
  return port;
}

function secondsOf(text: string): number {
  const { success, data } = recordingSeconds.safeParse(Number(text));
  if (!success)
    throw new UsageError(`BECKON_RECORDING_SECONDS must be a number from 0 to 600, not "${text}"`);
  return data;
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

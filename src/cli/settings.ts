import { stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { AskTimeout } from '../protocol/session.ts';
import { type Config, readConfigFile } from './config-file.ts';
import type { Console, Environment } from './console.ts';
import { Failure, UsageError } from './failure.ts';
import { type FlagDefinitions, isSet, listFlag, type ParsedFlags, textFlag } from './flags.ts';
import { absolute, dataDirectoryOf } from './paths.ts';

export interface Settings {
  readonly port: number;
  readonly host: string;
  readonly allowedHosts: readonly string[];
  readonly dataDir: string;
  readonly open: boolean;
  readonly tools: readonly string[];
  /** The program to run as Claude Code; without it, the one on PATH. */
  readonly claude: string | undefined;
  /** Where sessions may work; empty means anywhere. */
  readonly roots: readonly string[];
  readonly defaultCwd: string;
  readonly maxProcesses: number;
  readonly idleMinutes: number;
  readonly askTimeout: AskTimeout | undefined;
  readonly disabledAgents: readonly string[];
}

export const serveFlags = {
  port: { type: 'string' },
  host: { type: 'string' },
  'data-dir': { type: 'string' },
  'no-open': { type: 'boolean' },
  tools: { type: 'string', multiple: true },
  config: { type: 'string' },
  claude: { type: 'string' },
} as const satisfies FlagDefinitions;

/** What to serve: flags before environment before configuration file before defaults. */
export async function readSettings(flags: ParsedFlags, console: Console): Promise<Settings> {
  const { env, cwd } = console;
  const dataDir = dataDirectoryOf(flags, console);
  const config = await readConfig(flags, console, dataDir);
  const port = textFlag(flags, 'port') ?? env.BECKON_PORT;
  return {
    dataDir,
    port: port ? portOf(port) : (config.port ?? 4590),
    host: textFlag(flags, 'host') || env.BECKON_HOST || config.host || '127.0.0.1',
    allowedHosts: config.allowedHosts ?? [],
    open: !(isSet(flags, 'no-open') || isOn(env.BECKON_NO_OPEN)) && (config.open ?? true),
    tools: await existingTools(toolsOf(flags, console) ?? config.tools ?? []),
    claude: programOf(textFlag(flags, 'claude') || env.BECKON_CLAUDE || config.claude, console),
    roots: config.roots ?? [],
    defaultCwd: cwd,
    maxProcesses: config.maxProcesses ?? 250,
    idleMinutes: config.idleMinutes ?? 30,
    askTimeout: config.askTimeout,
    disabledAgents: Object.entries(config.agents ?? {}).flatMap(([name, { enabled }]) =>
      enabled === false ? [name] : [],
    ),
  };
}

/** A name is looked for on PATH; a path may begin at home. */
const programOf = (named: string | undefined, { env, cwd }: Console): string | undefined =>
  named?.startsWith('~/') ? absolute(named, cwd, env) : named;

function readConfig(flags: ParsedFlags, { env, cwd }: Console, dataDir: string): Promise<Config> {
  const named = textFlag(flags, 'config') || env.BECKON_CONFIG;
  return named
    ? readConfigFile(absolute(named, cwd, env), true, env)
    : readConfigFile(join(dataDir, 'config.json'), false, env);
}

function portOf(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new UsageError(`the port must be a number from 0 to 65535, not "${text}"`);
  return port;
}

/** `--tools a.ts b.ts` and `--tools a.ts --tools b.ts` say the same; other words have no place in this command line. */
function toolsOf(flags: ParsedFlags, { env, cwd }: Console): readonly string[] | undefined {
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

async function existingTools(files: readonly string[]): Promise<readonly string[]> {
  for (const file of files) {
    const isFile = await stat(file).then(
      (found) => found.isFile(),
      () => false,
    );
    if (!isFile) throw new Failure(`the tools file ${file} does not exist`);
  }
  return files;
}

const isOn = (value: Environment[string]): boolean => /^(1|true|yes|on)$/i.test(value ?? '');

export interface AgentEnvironmentOptions {
  /** Added last: what the session itself asks for wins. */
  sessionEnv?: Readonly<Record<string, string>>;
  platform?: NodeJS.Platform;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The person's own environment: without what npm, Beckon and an enclosing agent put in. */
export function agentEnvironment(
  serverEnv: Environment,
  { sessionEnv = {}, platform = process.platform }: AgentEnvironmentOptions = {},
): Record<string, string> {
  const underNpm = Object.keys(serverEnv).some((name) => name.startsWith('npm_'));
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(serverEnv)) {
    if (value === undefined || isForeign(name, value, serverEnv, underNpm)) continue;
    kept[name] = isPath(name, platform) ? withoutNpmEntries(value, underNpm, platform) : value;
  }
  return { ...kept, ...sessionEnv };
}

function isForeign(name: string, value: string, env: Environment, underNpm: boolean): boolean {
  if (name.startsWith('npm_') || name.startsWith('BECKON_')) return true;
  return (
    (underNpm && isFromNpm(name, value, env)) ||
    (env.VITEST !== undefined && isFromVitest(name, value)) ||
    isFromEnclosingAgent(name, value, env)
  );
}

/** Variables npm sets beside its `npm_*` ones; each could also be the person's own. */
function isFromNpm(name: string, value: string, env: Environment): boolean {
  switch (name) {
    case 'INIT_CWD':
    case 'COLOR':
      return true;
    case 'NODE':
      return value === env.npm_node_execpath;
    case 'NODE_OPTIONS':
      return value === env.npm_config_node_options;
    default:
      return false;
  }
}

function isFromVitest(name: string, value: string): boolean {
  return name.startsWith('VITEST') || (name === 'NODE_ENV' && value === 'test');
}

// With these an agent takes itself for a part of another one. The person's settings for it
// share their prefixes, so they are named one by one.
const enclosingAgentVariables = new Set([
  'CLAUDECODE',
  'CLAUDE_CODE_ENTRYPOINT',
  'CLAUDE_CODE_SESSION_ID',
  'CLAUDE_CODE_SSE_PORT',
  'CLAUDE_CODE_CHILD_SESSION',
  'CLAUDE_CODE_EXECPATH',
  'CLAUDE_AGENT_SDK_VERSION',
  'CLAUDE_ENV_FILE',
  'CLAUDE_PROJECT_DIR',
]);

function isFromEnclosingAgent(name: string, value: string, env: Environment): boolean {
  // Claude Code switches off the editor for the commands it runs.
  if (name === 'GIT_EDITOR') return env.CLAUDECODE !== undefined && value === 'true';
  return enclosingAgentVariables.has(name);
}

function isPath(name: string, platform: NodeJS.Platform): boolean {
  return platform === 'win32' ? name.toUpperCase() === 'PATH' : name === 'PATH';
}

function withoutNpmEntries(path: string, underNpm: boolean, platform: NodeJS.Platform): string {
  const delimiter = platform === 'win32' ? ';' : ':';
  if (!underNpm) return path;
  return path
    .split(delimiter)
    .filter((entry) => !isNpmEntry(entry))
    .join(delimiter);
}

/** npm adds whole paths only: a relative `node_modules/.bin` is the person's own habit. */
function isNpmEntry(entry: string): boolean {
  const path = entry.replaceAll('\\', '/').replace(/\/+$/, '');
  const isAbsolute = path.startsWith('/') || /^[A-Za-z]:\//.test(path);
  return isAbsolute && (path.endsWith('/node_modules/.bin') || path.endsWith('/node-gyp-bin'));
}

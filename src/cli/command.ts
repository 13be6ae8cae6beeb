import type { Console } from './console.ts';
import type { FlagDefinitions, ParsedFlags } from './flags.ts';

export interface Command {
  /** What follows `beckon `, as shown in the help. */
  readonly usage: string;
  /** The rest of the help, after the usage line. */
  readonly help: string;
  readonly flags: FlagDefinitions;
  /** How many words it takes at most, beside its flags; none unless it is told. */
  readonly mostWords?: number;
  /** Resolves with the exit code. */
  run(flags: ParsedFlags, console: Console, others: OtherCommands): Promise<number>;
}

/** What a command needs that runs others. */
export interface OtherCommands {
  readonly table: CommandTable;
  run(args: readonly string[], console: Console): Promise<number>;
}

// Loaded only when they are asked for: a terminal command must not wait for the server's code.
const server = () => import('./serve.ts');
const runs = () => import('./status.ts');
const watching = () => import('./terminal/watch.ts');
const sessions = () => import('./terminal/session-commands.ts');
const answers = () => import('./terminal/answer-commands.ts');
const lists = () => import('./terminal/server-commands.ts');
const less = () => import('./terminal/asking-less.ts');
const figures = () => import('./terminal/insights.ts');
const changes = () => import('./terminal/change-commands.ts');
const opening = () => import('./terminal/open-file.ts');
const places = () => import('./terminal/machine-commands.ts');
const trees = () => import('./terminal/worktrees.ts');
const kept = () => import('./terminal/template.ts');
const exporting = () => import('./terminal/export.ts');
const rules = () => import('./terminal/policy.ts');
const working = () => import('./terminal/inbox.ts');
const toolKey = () => import('./terminal/mcp-key.ts');
const backingUp = () => import('./backup/backup.ts');
const restoring = () => import('./backup/restore.ts');
const unlocking = () => import('./terminal/unlock.ts');
const clusters = () => import('./cluster-command.ts');
const running = () => import('./runner-command.ts');
const completing = () => import('./terminal/completion.ts');

/** What each command does in short, and the command itself. */
export type CommandTable = Readonly<Record<string, readonly [summary: string, load: () => Promise<Command>]>>;

/** Every command by its name. */
export const commands: CommandTable = {
  serve: ['start the server (also without a command)', async () => (await server()).serve],
  new: ['start a session', async () => (await watching()).newSession],
  ls: ['list the sessions', async () => (await sessions()).ls],
  watch: ['follow a session and answer it, or choose one', async () => (await watching()).watch],
  send: ['say something to an agent', async () => (await sessions()).send],
  inbox: ['work through what waits for you', async () => (await working()).inbox],
  pending: ['list what waits for you', async () => (await answers()).pending],
  approve: ['allow what an agent asks', async () => (await answers()).approve],
  deny: ['deny what an agent asks', async () => (await answers()).deny],
  answer: ['answer a question or a form', async () => (await answers()).answer],
  diff: ['show what changed in the files', async () => (await changes()).diff],
  open: ['open a file or its diff in an editor', async () => (await opening()).open],
  undo: ['put back what a turn changed', async () => (await changes()).undo],
  fork: ['go on with a conversation in another session', async () => (await changes()).fork],
  interrupt: ['end the running turn', async () => (await sessions()).interrupt],
  stop: ['end a session', async () => (await sessions()).stop],
  resume: ['start a stopped session again', async () => (await sessions()).resume],
  archive: ['put a session away', async () => (await sessions()).archive],
  unarchive: ['bring it back', async () => (await sessions()).unarchive],
  mute: ['no longer be notified of a session', async () => (await sessions()).mute],
  unmute: ['be notified of it again', async () => (await sessions()).unmute],
  rename: ['give a session another title', async () => (await sessions()).rename],
  rm: ['remove a stopped session for good', async () => (await sessions()).rm],
  queue: ['list what waits to be sent', async () => (await sessions()).queue],
  options: ["list and set an agent's options", async () => (await sessions()).options],
  agents: ['list the agents', async () => (await lists()).agents],
  machines: ['list the machines agents run on', async () => (await places()).machines],
  worktrees: ['list, remove and bring back worktrees', async () => (await trees()).worktrees],
  setups: ['list and revoke setups of projects', async () => (await trees()).setups],
  tools: ['list the interactive tools', async () => (await lists()).tools],
  templates: ['list the prompts kept as templates', async () => (await kept()).templates],
  grants: ['list and revoke standing approvals', async () => (await answers()).grants],
  trust: ['allow everything of a session for a while', async () => (await less()).trust],
  suggestions: ['list what could be allowed for good', async () => (await less()).suggestions],
  insights: ['tell how long agents waited, and for what', async () => (await figures()).insights],
  policy: ['show, try and set rules', async () => (await rules()).policy],
  search: ['search all conversations', async () => (await sessions()).search],
  export: ['write a session as a page, markdown or JSON', async () => (await exporting()).exportCommand],
  status: ['tell what runs: server, agents', async () => (await runs()).status],
  restart: ['restart the server; agents go on', async () => (await server()).restart],
  'stop-all': ['end server and agents, whatever runs', async () => (await runs()).stopAll],
  backup: ['write everything that is kept into one file', async () => (await backingUp()).backup],
  restore: ['make a data directory of a backup', async () => (await restoring()).restore],
  'mcp-key': ['print or rotate the keys of the interactive tools', async () => (await toolKey()).mcpKey],
  unlock: ['let this terminal decide, for a time', async () => (await unlocking()).unlock],
  pair: ['make a link for one more browser', async () => (await lists()).pair],
  devices: ['list and remove paired browsers', async () => (await lists()).devices],
  cluster: ['let agents run on other machines', async () => (await clusters()).cluster],
  runner: ['run agents here for a server elsewhere', async () => (await running()).runner],
  completion: ['print a script that completes in the shell', async () => (await completing()).completion],
};

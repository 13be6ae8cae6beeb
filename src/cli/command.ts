import type { Console } from './console.ts';
import type { FlagDefinitions, ParsedFlags } from './flags.ts';

export interface Command {
  /** What follows `beckon `, as shown in the help. */
  readonly usage: string;
  /** The rest of the help, after the usage line. */
  readonly help: string;
  readonly flags: FlagDefinitions;
  /** Resolves with the exit code. `runAnother` runs another command line. */
  run(flags: ParsedFlags, console: Console, runAnother: RunCommandLine): Promise<number>;
}

export type RunCommandLine = (args: readonly string[], console: Console) => Promise<number>;

export interface CommandEntry {
  readonly summary: string;
  /** Loaded only when it is asked for: a terminal command must not wait for the server's code. */
  readonly load: () => Promise<Command>;
}

export const commands: Readonly<Record<string, CommandEntry>> = {
  serve: {
    summary: 'start the server (also without a command)',
    load: async () => (await import('./serve.ts')).serve,
  },
  new: { summary: 'start a session', load: async () => (await import('./terminal/new.ts')).newSession },
  ls: { summary: 'list the sessions', load: async () => (await import('./terminal/ls.ts')).ls },
  watch: {
    summary: 'follow a session and answer it',
    load: async () => (await import('./terminal/watch.ts')).watch,
  },
  send: { summary: 'say something to an agent', load: async () => (await import('./terminal/send.ts')).send },
  pending: {
    summary: 'list what waits for you',
    load: async () => (await import('./terminal/pending.ts')).pending,
  },
  approve: {
    summary: 'allow what an agent asks',
    load: async () => (await import('./terminal/approve.ts')).approve,
  },
  deny: { summary: 'deny what an agent asks', load: async () => (await import('./terminal/deny.ts')).deny },
  answer: {
    summary: 'answer a question or a form',
    load: async () => (await import('./terminal/answer.ts')).answer,
  },
  interrupt: {
    summary: 'end the running turn',
    load: async () => (await import('./terminal/interrupt.ts')).interrupt,
  },
  stop: { summary: 'end a session', load: async () => (await import('./terminal/stop.ts')).stop },
  resume: {
    summary: 'start a stopped session again',
    load: async () => (await import('./terminal/resume.ts')).resume,
  },
  queue: {
    summary: 'list what waits to be sent',
    load: async () => (await import('./terminal/queue.ts')).queue,
  },
  agents: { summary: 'list the agents', load: async () => (await import('./terminal/agents.ts')).agents },
  tools: {
    summary: 'list the interactive tools',
    load: async () => (await import('./terminal/tools.ts')).tools,
  },
  grants: {
    summary: 'list and revoke standing approvals',
    load: async () => (await import('./terminal/grants.ts')).grants,
  },
  search: {
    summary: 'search all conversations',
    load: async () => (await import('./terminal/search.ts')).search,
  },
  status: {
    summary: 'tell what runs: server, agents',
    load: async () => (await import('./status.ts')).status,
  },
  restart: {
    summary: 'restart the server; agents go on',
    load: async () => (await import('./restart.ts')).restart,
  },
  'stop-all': {
    summary: 'end server and agents, whatever runs',
    load: async () => (await import('./stop-all.ts')).stopAll,
  },
  unlock: {
    summary: 'let this terminal decide, for a time',
    load: async () => (await import('./terminal/unlock.ts')).unlock,
  },
  pair: {
    summary: 'make a link for one more browser',
    load: async () => (await import('./terminal/pair.ts')).pair,
  },
};

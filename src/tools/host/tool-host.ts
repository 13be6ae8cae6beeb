import type { CallOptions } from '../../engine/ports/tool-calls.ts';
import type { SessionId } from '../../protocol/ids.ts';
import type { Tool } from '../sdk/define-tool.ts';
import { ToolError } from '../sdk/tool-error.ts';
import { askUser } from './ask-user.ts';
import { keepAuthorsOffStdout } from './author.ts';
import {
  candidatesIn,
  checked,
  describeTool,
  type ImportModule,
  type LoadedTool,
  nodeImport,
  type ToolDescription,
  type ToolProblem,
} from './load-file.ts';
import { failure, type ToolCallResult } from './result.ts';
import { ToolFiles } from './tool-files.ts';
import type { Surroundings } from './tool-run.ts';
import { ToolRuns } from './tool-runs.ts';

export type { ToolCallResult, ToolDescription, ToolProblem };

/** The tools of this server: those of the files it was given, and the built-in one. */
export interface ToolHost {
  /** Those that can be called now, by name. */
  readonly tools: readonly ToolDescription[];
  /** Why a file, or a tool of it, is not among them, or is there only in an older version. */
  readonly problems: readonly ToolProblem[];
  /** Calls back after the list of tools, or what is wrong with it, has changed. */
  onChange(listener: () => void): () => void;
  /** Runs a tool to its end. Never rejects: an error is a result, too. A handler that ignores its signal is not waited for. */
  call(sessionId: SessionId, name: string, args: unknown, options: CallOptions): Promise<ToolCallResult>;
  /**
   * Ends every run and stops looking at files. What is asked stays open, so that the engine can leave it to the next server:
   * close this before the connections of the agents, whose end would cancel the calls, and before the engine.
   */
  close(): Promise<void>;
}

export interface ToolHostOptions extends Surroundings {
  /** Absolute paths. One that cannot be loaded is a problem, not a failure. */
  readonly files: readonly string[];
  /** Of the program that the server is a part of. */
  readonly given?: readonly Tool[];
  readonly importModule?: ImportModule;
}

/** Loads the tools; settles when all that can be called at the start is there. */
export async function createToolHost(options: ToolHostOptions): Promise<ToolHost> {
  const { files, given = [], logger, clock, importModule = nodeImport } = options;
  const own = checked('this program', candidatesIn({ given }));
  keepAuthorsOffStdout();
  const listeners = new Set<() => void>();
  const runs = new ToolRuns(options);
  const loaded = await ToolFiles.open({
    files,
    reserved: new Set([askUser, ...own.tools.map(({ tool }) => tool)].map(({ name }) => name)),
    clock,
    logger,
    importModule,
    onChange: () => {
      for (const listener of [...listeners]) listener();
    },
  });
  const all = (): readonly LoadedTool[] => [builtIn, ...own.tools, ...loaded.tools];
  return {
    get tools() {
      return all().map(({ description }) => description);
    },
    get problems() {
      return [...own.problems, ...loaded.problems];
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async call(sessionId, name, args, callOptions) {
      const found = all().find(({ tool }) => tool.name === name);
      if (found === undefined) {
        return failure(name, new ToolError('unknown_tool', `There is no tool called "${name}".`));
      }
      return runs.call(found.tool, sessionId, args, callOptions);
    },
    async close() {
      listeners.clear();
      runs.close('The server is ending.');
      await loaded.close();
    },
  };
}

const builtIn: LoadedTool = { tool: askUser, description: describedOrThrow() };

function describedOrThrow(): ToolDescription {
  const description = describeTool(askUser, undefined);
  if (typeof description === 'string') throw new Error(`ask_user: ${description}`);
  return description;
}

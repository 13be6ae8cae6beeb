import { isKept, type LeftRun, type Report, type Runner, type StartOrder } from '../engine/ports/runner.ts';
import type { Workspace } from '../engine/ports/workspace.ts';
import { refuse } from '../protocol/errors.ts';
import type { SessionId } from '../protocol/ids.ts';
import type { Agent } from '../protocol/session.ts';
import { completeDirectory } from './complete-directory.ts';
import { checkDirectory, filesBelow, startDirectory } from './directory.ts';
import { fileFinder } from './find-files.ts';
import { gitBranch } from './git-branch.ts';
import { LocalRun } from './local-run.ts';
import { policyFile } from './policy-file.ts';
import type { AgentDriver, AgentStart } from './ports/agent-driver.ts';
import type { ListTracked } from './ports/file-listing.ts';
import { type KeptProcess, type ProcessHost, runOf } from './ports/process-host.ts';

/** How an agent is started where a session does not say it. */
export interface LaunchDefaults {
  readonly permissionMode?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
}

export interface LocalRunnerOptions {
  readonly drivers: readonly AgentDriver[];
  /** By the names of agents. */
  readonly launch?: Readonly<Record<string, LaunchDefaults>>;
  /** Where agents run, and outlive this program if they can. */
  readonly processes: Pick<ProcessHost, 'kept' | 'attach' | 'endLeftovers' | 'close' | 'detach'>;
  /** Where those run that cannot. */
  readonly others?: readonly Pick<ProcessHost, 'close'>[];
  /** Without it, all files of a directory are looked at. */
  readonly listTracked?: ListTracked;
  readonly rawLog: Runner['rawLog'] & { close(): Promise<void> };
  /** Without it, nothing of what agents do to files is recorded. */
  readonly workspace?: { readonly call: Workspace; close(): Promise<void> };
  /** Told the runs that are left: what was kept for others can go. */
  onLeft?(runs: readonly string[]): void;
}

/** The agents on this machine, in this program: an order is the call of a function. */
export function localRunner(options: LocalRunnerOptions): Runner {
  const {
    drivers,
    launch = {},
    processes,
    others = [],
    rawLog,
    listTracked = async () => undefined,
  } = options;
  const driverOf = new Map(drivers.map((driver) => [driver.name, driver]));
  const runs = new Map<string, { readonly run: LocalRun; readonly sessionId: SessionId }>();
  let kept: readonly KeptProcess[] = [];
  let looked: Promise<void> | undefined;

  /** What nobody keeps goes on unattended after its server died: it is ended before anything else is done. */
  async function look(): Promise<void> {
    await processes.endLeftovers();
    kept = await processes.kept();
    options.onLeft?.(leftRuns(kept).map(({ runId }) => runId));
  }

  async function end(runId: string): Promise<void> {
    const ofRun = kept.filter(({ id }) => runOf(id) === runId);
    kept = kept.filter((process) => !ofRun.includes(process));
    const ended = ofRun.map(async ({ id }) => {
      const process = processes.attach(id, 0);
      await process?.end();
      process?.stored(Number.MAX_SAFE_INTEGER);
    });
    await Promise.all(ended);
  }

  function find(agent: string): AgentDriver {
    const driver = driverOf.get(agent);
    if (driver === undefined) throw new Error(`There is no agent called "${agent}" here.`);
    return driver;
  }

  /** Read anew at each start: a variable that was changed or taken out of the configuration is so for every session. */
  function startOf(order: StartOrder, cwd: string): AgentStart {
    const { runId: processId, sessionId, permissionMode, model, resume, fork, costUsd, tools } = order;
    const env = { ...launch[order.agent]?.env, ...order.env };
    return {
      processId,
      sessionId,
      cwd,
      env,
      permissionMode,
      model,
      resume,
      ...(fork && { fork }),
      ...(costUsd !== undefined && { costUsd }),
      tools,
    };
  }

  async function describe(driver: AgentDriver): Promise<Agent> {
    const { permissionMode } = launch[driver.name] ?? {};
    return { ...(await driver.probe()), ...(permissionMode && { defaultPermissionMode: permissionMode }) };
  }

  function add({ runId: id, sessionId }: StartOrder, last: number, report: Report): LocalRun {
    const run = new LocalRun({ id, last, report, onExit: () => runs.delete(id) });
    runs.set(id, { run, sessionId });
    return run;
  }

  return {
    rawLog,
    agents: () => Promise.all(drivers.map(describe)),
    async agent(name) {
      const driver = driverOf.get(name);
      return driver && describe(driver);
    },
    checkDirectory: async (place) => checkDirectory(place),
    completeDirectory,
    findFiles: fileFinder(listTracked),
    policyFile,
    branch: gitBranch,
    filesBelow,
    recordsFiles: options.workspace !== undefined,
    workspace: options.workspace?.call ?? (async () => refuse('git_not_available')),
    end,

    async left() {
      looked ??= look();
      await looked;
      const left = leftRuns(kept);
      const served = [...runs].map(([runId, { sessionId }]) => ({ runId, sessionId, isRunning: true }));
      return [...left.filter(({ runId }) => !runs.has(runId)), ...served];
    },

    start(order, report) {
      const run = add(order, 0, report);
      run.begin('startError', 0, () => {
        const directory = startDirectory(order);
        if (!directory.ok) throw new Error(directory.refusal.message);
        return find(order.agent).start(startOf(order, directory.value), run.heard);
      });
      return run;
    },

    attach(order, report) {
      const { runId, checkpoint, ready, openAsks, inFlight } = order;
      const served = runs.get(runId)?.run;
      if (served) {
        served.tellAgain(order.last, report);
        return served;
      }
      const run = add(order, checkpoint?.number ?? 0, report);
      run.begin('hostLost', order.last, () => {
        const known = leftRuns(kept).find((left) => left.runId === runId);
        if (known && !isKept(known, checkpoint?.mark)) {
          void end(runId);
          throw new Error('More of what the agent said was stored than this server knows of: it was ended.');
        }
        const directory = startDirectory(order);
        const start = startOf(order, directory.ok ? directory.value : order.cwd);
        const left = { mark: checkpoint?.mark, kept, ready, openAsks, inFlight };
        const connection = driverOf.get(order.agent)?.attach?.(start, left, run.heard);
        if (connection !== undefined) return connection;
        void end(runId);
        throw new Error('The agent could not be gone on with, and was ended.');
      });
      return run;
    },

    async close() {
      await Promise.all([processes, ...others].map((host) => host.close()));
      await options.workspace?.close();
      await rawLog.close();
    },

    async detach() {
      await Promise.all(others.map((host) => host.close()));
      await processes.detach();
      await options.workspace?.close();
      await rawLog.close();
    },
  };
}

/** A run may have several processes: an agent that was started anew, commands that it has us run. */
function leftRuns(kept: readonly KeptProcess[]): readonly LeftRun[] {
  const runs = new Map<string, LeftRun>();
  for (const { id, sessionId, running, givenBack = 0 } of kept) {
    const runId = runOf(id);
    const known = runs.get(runId);
    const keptFrom = givenBack > 0 ? { ...known?.keptFrom, [id]: givenBack } : known?.keptFrom;
    const isRunning = running || known?.isRunning === true;
    runs.set(runId, { runId, sessionId, isRunning, ...(keptFrom && { keptFrom }) });
  }
  return [...runs.values()];
}

import { AsyncLocalStorage } from 'node:async_hooks';
import { type Driver, isDriver, type OpenDriver } from '../drivers/sdk/define-driver.ts';
import { systemClock } from '../engine/index.ts';
import { messageOf } from '../protocol/errors.ts';
import { guardedDriver, missingDriver } from '../runner/guarded-driver.ts';
import type { AgentDriver } from '../runner/ports/agent-driver.ts';
import { type AgentProcess, type ProcessHost, runOf } from '../runner/ports/process-host.ts';
import { asAuthor, keepAuthorsOffStdout } from '../tools/host/author.ts';
import { type ImportModule, importFile } from '../tools/host/load-file.ts';
import type { DriverFile } from './config-file.ts';
import type { Environment } from './console.ts';
import type { Logger } from './logger.ts';

export interface OutsideDrivers {
  /** Named in the configuration. */
  readonly files: readonly DriverFile[];
  /** Given by the program that has the control room in itself. */
  readonly given: readonly Driver[];
  /** For agents that go on when the server ends. */
  readonly processes: ProcessHost;
  /** For all others. */
  readonly local: ProcessHost;
  readonly environment: Environment;
  readonly version: string;
  readonly logger: Logger;
  readonly importModule?: ImportModule;
}

/** The drivers that are no part of Beckon. One that cannot be had is named, and its agent is listed with the reason. */
export function openOutsideDrivers(outside: OutsideDrivers): Promise<readonly AgentDriver[]> {
  keepAuthorsOffStdout();
  const named = outside.files.map(async (entry) => {
    const found = await driverIn(entry.file, outside);
    return open(outside, entry, found);
  });
  const given = outside.given.map((driver) =>
    open(outside, { name: driver.name, label: driver.label, options: {} }, driver),
  );
  return Promise.all([...named, ...given]);
}

/** The driver that a file exports, or why there is none, in words. */
async function driverIn(
  file: string,
  { importModule }: Pick<OutsideDrivers, 'importModule'>,
): Promise<Driver | string> {
  const imported = await importFile(file, 'the driver', systemClock, importModule);
  if ('problem' in imported) {
    const { message, line } = imported.problem;
    if (imported.isMissing) return message;
    return `the driver ${file}${line === undefined ? '' : `:${line}`} cannot be loaded: ${message}`;
  }
  const exported = Object.values(imported.exported).filter(isDriver);
  const [driver] = new Set(exported);
  return driver ?? `${file} exports no driver: export what defineDriver gives, as default`;
}

async function open(
  outside: OutsideDrivers,
  { name, label, options }: Pick<DriverFile, 'name' | 'label' | 'options'>,
  found: Driver | string,
): Promise<AgentDriver> {
  const { environment, version, logger } = outside;
  const failed = (words: string): AgentDriver => {
    const reason = words.replace(/^\w/, (letter) => letter.toUpperCase());
    logger.error({ agent: name, reason }, 'A driver is not there; all others are');
    return missingDriver(name, label ?? name, reason);
  };
  if (typeof found === 'string') return failed(found);
  const asDriver = <T>(code: () => T): T => asAuthor(`the driver of the agent "${name}"`, code);
  const { processes, endProcesses } = ownProcesses(
    found.outlivesServer === true ? outside.processes : outside.local,
  );
  try {
    const host = { name, options, processes, environment, version };
    const opened: OpenDriver = await asDriver(async () => found.open(host));
    for (const method of ['probe', 'start'] as const)
      if (typeof opened?.[method] !== 'function') return failed(`its driver has no "${method}"`);
    const driver: AgentDriver = {
      name,
      label: label ?? found.label,
      probe: () => opened.probe(),
      start: (...start) => opened.start(...start),
      ...(opened.attach && { attach: (...attach) => opened.attach?.(...attach) }),
    };
    return guardedDriver(driver, {
      name,
      clock: systemClock,
      logger,
      asDriver,
      asServer: AsyncLocalStorage.snapshot(),
      endProcesses,
    });
  } catch (error) {
    return failed(`its driver could not be opened: ${messageOf(error)}`);
  }
}

/** The process host as one driver sees it, and a way to end what it started for a run. */
function ownProcesses(host: ProcessHost): {
  readonly processes: Pick<ProcessHost, 'outlivesServer' | 'start' | 'attach'>;
  endProcesses(runId: string): Promise<void>;
} {
  const running = new Map<string, AgentProcess>();
  const keep = <P extends AgentProcess | undefined>(process: P): P => {
    if (process === undefined) return process;
    running.set(process.id, process);
    void process.exited.then(() => running.delete(process.id));
    return process;
  };
  return {
    processes: {
      outlivesServer: host.outlivesServer,
      start: (spec) => keep(host.start(spec)),
      attach: (id, from) => keep(host.attach(id, from)),
    },
    async endProcesses(runId) {
      const ofRun = [...running.values()].filter(({ id }) => runOf(id) === runId);
      await Promise.all(ofRun.map((process) => process.end()));
      for (const process of ofRun) process.stored(Number.MAX_SAFE_INTEGER);
    },
  };
}

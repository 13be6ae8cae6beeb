import type { AgentDriver } from '../../runner/ports/agent-driver.ts';
import type { ProcessHost } from '../../runner/ports/process-host.ts';

/** What a driver gets from the server it runs in. */
export interface DriverHost {
  /** The name under which its agent is listed. */
  readonly name: string;
  /** What its entry in the configuration says beyond the fields that all agents have. Nothing has checked it. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Runs the agent's processes, and ends them whatever becomes of the driver. */
  readonly processes: Pick<ProcessHost, 'outlivesServer' | 'start' | 'attach'>;
  /** The server's own environment; `agentEnvironment` takes out what is not the person's. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Beckon's own. */
  readonly version: string;
}

export interface DriverDefinition {
  /** For a program that gives the driver to `createBeckon`; in a configuration file the name of the entry holds. */
  readonly name: string;
  /** How people read it; an entry may have another. */
  readonly label: string;
  /** Set, its agents go on when the server ends: then it has `attach`, and tells facts with marks. */
  readonly outlivesServer?: boolean;
  /** Called once, when the server starts. */
  open(host: DriverHost): OpenDriver | Promise<OpenDriver>;
}

/** An `AgentDriver` without what its definition says of it. */
export type OpenDriver = Pick<AgentDriver, 'probe' | 'start' | 'attach'>;

/** Marks what `defineDriver` made, across copies of this file. */
const brand = Symbol.for('beckon.Driver');

export interface Driver extends DriverDefinition {
  readonly [brand]: true;
}

/**
 * Makes a driver: the adapter for one kind of agent. Export it from a file as default and name the file in the configuration
 * (`"agents": {"mine": {"driver": "./my-driver.ts"}}`), or give it to `createBeckon`.
 */
export const defineDriver = (definition: DriverDefinition): Driver =>
  Object.freeze({ ...definition, [brand]: true as const });

export const isDriver = (value: unknown): value is Driver =>
  typeof value === 'object' &&
  value !== null &&
  brand in value &&
  typeof (value as Partial<Driver>).open === 'function';

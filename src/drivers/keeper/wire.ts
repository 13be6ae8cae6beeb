import type { ProcessExit, WriteOutcome } from '../../engine/ports/process-host.ts';
import type { Frame } from './frames.ts';

/**
 * What a server and a keeper say to each other. The two may be of different versions: a server is upgraded while agents run.
 *
 * The floor holds for ever: the frames, `hello`, `status`, `drain`, `end` and `close`. Everything else holds within a major
 * version; a minor version may add fields and messages, and whoever does not know them passes over them.
 */
export const protocolVersion: ProtocolVersion = { major: 1, minor: 0 };

export interface ProtocolVersion {
  readonly major: number;
  readonly minor: number;
}

/** Servers take over what the keeper has, one at a time; visitors only ask, and may ask for the end. */
export type Role = 'server' | 'visitor';

export type ToKeeper =
  | { t: 'hello'; as: Role; protocol: ProtocolVersion; version: string }
  | { t: 'status'; n: number }
  /** Starts no more, and lets the agents end: their input is closed. */
  | { t: 'drain' }
  | { t: 'end'; id: string; n: number; graceMs?: number }
  /** Ends every agent, then the keeper. */
  | { t: 'close' }
  /** The body is a `Launch`. `to` is as in `want`. An id that is there already is attached to. */
  | { t: 'start'; id: string; sessionId: string; to: number }
  /** Output is passed on from this offset. */
  | { t: 'attach'; id: string; from: number; to: number }
  /** Output may be passed on up to this offset. */
  | { t: 'want'; id: string; to: number }
  /** The body goes to the agent's stdin, once for each `writeId`. */
  | { t: 'write'; id: string; n: number; writeId: string }
  | { t: 'close-input'; id: string }
  | { t: 'stored'; id: string; offset: number }
  /** The server goes in good order: it has taken note of the output before this offset, and wants no more. */
  | { t: 'release'; id: string; seen: number };

export type FromKeeper =
  | { t: 'hello'; protocol: ProtocolVersion; version: string; pid: number; startedAt: number }
  | { t: 'status'; n: number; memory: number; draining: boolean; agents: readonly AgentStatus[] }
  | { t: 'ended'; id: string; n: number }
  /** Another server has come; this connection is over. */
  | { t: 'replaced' }
  /** `seen`: output before this offset was passed on to a server before. */
  | { t: 'attached'; id: string; pid: number; seen: number; stderr: readonly string[] }
  | { t: 'unknown-process'; id: string }
  /** The body is output; `at` is the offset of its first byte. */
  | { t: 'output'; id: string; at: number }
  | { t: 'output-end'; id: string }
  /** The body is of stderr; `lost` bytes before it were left out. */
  | { t: 'stderr'; id: string; lost: number }
  | { t: 'stderr-end'; id: string }
  | { t: 'exited'; id: string; exit: ProcessExit }
  | { t: 'wrote'; id: string; n: number; outcome: WriteOutcome };

export interface AgentStatus {
  readonly id: string;
  readonly sessionId: string;
  /** 0 when it could not be started. */
  readonly pid: number;
  readonly running: boolean;
  readonly startedAt: number;
  /** How much it has printed, and up to where that is stored by a server. */
  readonly outputEnd: number;
  readonly stored: number;
  /** How much of its output lies in the spool file. */
  readonly spooled: number;
}

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export const readToKeeper = (head: Frame['head']): ToKeeper | undefined => read<ToKeeper>(head, toKeeper);
export const readFromKeeper = (head: Frame['head']): FromKeeper | undefined =>
  read<FromKeeper>(head, fromKeeper);

type Kind = 'string' | 'number' | 'boolean' | 'object';
type Shapes<M extends { t: string }> = {
  readonly [T in M['t']]: {
    readonly [F in Exclude<RequiredKeys<Extract<M, { t: T }>>, 't'>]: KindOf<Extract<M, { t: T }>[F]>;
  };
};
type RequiredKeys<M> = { [K in keyof M]-?: undefined extends M[K] ? never : K }[keyof M];
type KindOf<V> = V extends string
  ? 'string'
  : V extends number
    ? 'number'
    : V extends boolean
      ? 'boolean'
      : 'object';

const toKeeper: Shapes<ToKeeper> = {
  hello: { as: 'string', protocol: 'object', version: 'string' },
  status: { n: 'number' },
  drain: {},
  end: { id: 'string', n: 'number' },
  close: {},
  start: { id: 'string', sessionId: 'string', to: 'number' },
  attach: { id: 'string', from: 'number', to: 'number' },
  want: { id: 'string', to: 'number' },
  write: { id: 'string', n: 'number', writeId: 'string' },
  'close-input': { id: 'string' },
  stored: { id: 'string', offset: 'number' },
  release: { id: 'string', seen: 'number' },
};

const fromKeeper: Shapes<FromKeeper> = {
  hello: { protocol: 'object', version: 'string', pid: 'number', startedAt: 'number' },
  status: { n: 'number', memory: 'number', draining: 'boolean', agents: 'object' },
  ended: { id: 'string', n: 'number' },
  replaced: {},
  attached: { id: 'string', pid: 'number', seen: 'number', stderr: 'object' },
  'unknown-process': { id: 'string' },
  output: { id: 'string', at: 'number' },
  'output-end': { id: 'string' },
  stderr: { id: 'string', lost: 'number' },
  'stderr-end': { id: 'string' },
  exited: { id: 'string', exit: 'object' },
  wrote: { id: 'string', n: 'number', outcome: 'object' },
};

/** Undefined for what this version does not know. Throws for what it knows and finds wrong. */
function read<M extends { t: string }>(
  head: Frame['head'],
  shapes: Readonly<Record<string, Readonly<Record<string, Kind>>>>,
): M | undefined {
  const { t } = head;
  if (typeof t !== 'string') throw new Error('A message has no type');
  if (!Object.hasOwn(shapes, t)) return undefined;
  for (const [field, kind] of Object.entries(shapes[t] ?? {})) {
    if (typeof head[field] !== kind || head[field] === null)
      throw new Error(`"${t}" has no proper "${field}"`);
  }
  return head as unknown as M;
}

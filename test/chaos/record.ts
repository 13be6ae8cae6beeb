import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the scripted agent writes down, in the order it happened. */
export type AgentRecord =
  | { readonly kind: 'start'; readonly run: string; readonly sessionId: string; readonly pid: number }
  | { readonly kind: 'message'; readonly uuid: string; readonly text: string }
  /** The pipe has this line. */
  | { readonly kind: 'said'; readonly text: string }
  /** About to ask. */
  | { readonly kind: 'asking'; readonly requestId: string; readonly toolUseId: string }
  /** The pipe has it. */
  | { readonly kind: 'asked'; readonly toolUseId: string }
  | { readonly kind: 'answer'; readonly requestId: string; readonly response: Line | null }
  | { readonly kind: 'end' };

/** A line of the wire, as far as it is looked at. */
export interface Line {
  readonly type?: string;
  readonly request_id?: string;
  readonly uuid?: string;
  readonly message?: { readonly content?: readonly { readonly text?: string }[] };
  readonly response?: { readonly request_id?: string; readonly response?: Line };
  readonly behavior?: string;
}

/** One life of the agent's program. */
export interface Run {
  /** As the server knows it; a second start under the same id counts as one. */
  readonly run: string;
  readonly pid: number;
  readonly records: readonly AgentRecord[];
  /** It ended by itself, because its input did. */
  readonly ended: boolean;
}

export function readRuns(directory: string): readonly Run[] {
  return readdirSync(directory).flatMap((name) => {
    const records = readFileSync(join(directory, name), 'utf8')
      .split('\n')
      // the last line may have been cut short by a kill
      .slice(0, -1)
      .map((line) => JSON.parse(line) as AgentRecord);
    const [start] = records;
    if (start?.kind !== 'start') return [];
    return [
      {
        run: start.run.replace(/-anew$/, ''),
        pid: start.pid,
        records,
        ended: records.at(-1)?.kind === 'end',
      },
    ];
  });
}

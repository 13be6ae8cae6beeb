import { randomFillSync, randomUUID } from 'node:crypto';

/** Where new ids come from; tests count instead. */
export interface Ids {
  session(): string;
  /** A UUID: some agents know a message by nothing else. */
  message(): string;
  interaction(): string;
  turn(): string;
  /** Without "-": what belongs to a run is named after it, with one in between. */
  process(): string;
  order(): string;
  grant(): string;
  rule(): string;
  image(): string;
  comment(): string;
  client(): string;
}

/** Short, unguessable, and telling what they name. */
const tagged = (tag: string) => () => `${tag}_${chance().replaceAll('_', 'x').replaceAll('-', 'y')}`;

/** Drawn ahead for some hundred ids: each draw alone costs more than all else about an id. */
const drawn = Buffer.alloc(12 * 256);
let used = drawn.length;

function chance(): string {
  if (used === drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  used += 12;
  return drawn.toString('base64url', used - 12, used);
}

export const randomIds: Ids = {
  session: tagged('ses'),
  message: randomUUID,
  interaction: tagged('int'),
  turn: tagged('turn'),
  process: tagged('run'),
  order: tagged('ord'),
  grant: tagged('grant'),
  rule: tagged('rule'),
  image: tagged('img'),
  comment: tagged('com'),
  client: tagged('cli'),
};

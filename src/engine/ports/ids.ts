import { randomBytes, randomUUID } from 'node:crypto';

/** Where new ids come from; tests count instead. */
export interface Ids {
  session(): string;
  /** A UUID: some agents know a message by nothing else. */
  message(): string;
  interaction(): string;
  turn(): string;
  process(): string;
  grant(): string;
  image(): string;
  client(): string;
}

/** Short, unguessable, and telling what they name. */
const tagged = (tag: string) => () =>
  `${tag}_${randomBytes(12).toString('base64url').replaceAll('_', 'x').replaceAll('-', 'y')}`;

export const randomIds: Ids = {
  session: tagged('ses'),
  message: randomUUID,
  interaction: tagged('int'),
  turn: tagged('turn'),
  process: tagged('run'),
  grant: tagged('grant'),
  image: tagged('img'),
  client: tagged('cli'),
};

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { personsGit } from '../runner/workspace/repositories.ts';
import { type Beckon, temporaryDirectory } from './beckon-process.ts';
import { eventually } from './eventually.ts';

/** A repository of a person's, with a first commit. */
export class PersonsTree {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async make(files: Readonly<Record<string, string>>): Promise<PersonsTree> {
    const tree = new PersonsTree(await temporaryDirectory());
    tree.git('init', '-q', '-b', 'main');
    for (const [path, content] of Object.entries(files)) tree.write(path, content);
    tree.git('add', '.');
    tree.git('commit', '-q', '-m', 'first');
    return tree;
  }

  git(...args: string[]): string {
    return personsGit(this.path, args);
  }

  write(path: string, content: string): void {
    writeFileSync(join(this.path, path), content);
  }

  read(path: string): string | undefined {
    return existsSync(join(this.path, path)) ? readFileSync(join(this.path, path), 'utf8') : undefined;
  }
}

/** Waits until a session's turn has begun: before that a message is the first one, and there is nothing to interrupt. */
export const inTurn = (beckon: Beckon, sessionId: string): Promise<true> =>
  eventually(`a turn of ${sessionId} has begun`, async () => {
    const { body } = await beckon.api('GET', `/api/sessions/${sessionId}/events?limit=1000`);
    const types: string[] = body.events.map((event: { type: string }) => event.type);
    return types.lastIndexOf('turn.started') > types.lastIndexOf('turn.ended') || undefined;
  });

/** A session of the demo agent, which does without asking what it is told; its server may change. */
export class DemoSession {
  readonly id: string;
  beckon: Beckon;

  private constructor(id: string, beckon: Beckon) {
    this.id = id;
    this.beckon = beckon;
  }

  static async start(beckon: Beckon, fields: Readonly<Record<string, unknown>>): Promise<DemoSession> {
    const made = await beckon.api('POST', '/api/sessions', { agent: 'demo', ...fields });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    const session = new DemoSession(made.body.session.id, beckon);
    const trusted = await session.api('POST', '/trust', { minutes: 60 });
    expect(trusted.status, JSON.stringify(trusted.body)).toBe(200);
    return session;
  }

  api(method: string, path: string, body?: unknown) {
    return this.beckon.api(method, `/api/sessions/${this.id}${path}`, body);
  }

  // biome-ignore lint/suspicious/noExplicitAny: events of every kind
  async events(type: string): Promise<any[]> {
    const { body } = await this.api('GET', '/events?limit=1000');
    return body.events.filter((event: { type: string }) => event.type === type);
  }

  say(message: string) {
    return this.api('POST', '/message', { message });
  }

  /** One turn, up to where its files are recorded, or known not to be; its id. */
  async turn(command: string): Promise<string> {
    const before = (await this.events('turn.ended')).length;
    await this.say(`run ${command}`);
    return this.ended(before);
  }

  /** The turn after so many, once it has ended and its files are recorded, or known not to be. */
  async ended(before: number): Promise<string> {
    const ended = await eventually(
      'the turn has ended',
      async () => (await this.events('turn.ended'))[before],
    );
    await eventually('the files are recorded', async () => {
      if ((await this.events('files.unrecorded')).length > 0) return true;
      const recorded = await this.events('files.recorded');
      return recorded.some(({ turnId, when }) => turnId === ended.turnId && when === 'end');
    });
    return ended.turnId;
  }

  async changes(query = '') {
    const { status, body } = await this.api('GET', `/changes${query}`);
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  }

  undo(body: unknown) {
    return this.api('POST', '/undo', body);
  }
}

export const pathsOf = (changes: { readonly files: readonly { readonly path: string }[] }): string[] =>
  changes.files.map(({ path }) => path);

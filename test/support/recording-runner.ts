import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Runner } from '../../src/engine/ports/runner.ts';
import type { Workspace, WorkspaceCall } from '../../src/engine/ports/workspace.ts';
import { openWorkspace } from '../../src/runner/workspace/workspace.ts';
import { personsGit } from '../runner/workspace/repositories.ts';

/** A repository, and what makes a runner record its files with the real git; what it is asked can be held up. */
export class RecordingRunner {
  readonly tree: string;
  readonly calls: WorkspaceCall[] = [];
  readonly #base: string;
  #workspace: Workspace | undefined;
  #lost: WorkspaceCall | undefined;
  #onLost: () => void = () => {};
  readonly #held = new Map<WorkspaceCall, PromiseWithResolvers<void>>();

  constructor() {
    this.#base = realpathSync(mkdtempSync(join(tmpdir(), 'beckon-recording-')));
    this.tree = join(this.#base, 'tree');
    mkdirSync(this.tree);
    mkdirSync(join(this.#base, 'home'));
    personsGit(this.tree, ['init', '-q', '-b', 'main']);
    this.write('a', 'first\n');
    onTestFinished(() => rmSync(this.#base, { recursive: true, force: true }));
  }

  /** Puts it between an engine and its runner. Of the same machine, again for the next server. */
  readonly carry = (runner: Runner): Runner => {
    const workspace = openWorkspace({
      dataDir: join(this.#base, 'data'),
      home: join(this.#base, 'home'),
      path: process.env.PATH ?? '',
    });
    onTestFinished(() => workspace.close());
    this.#workspace = workspace.call;
    return {
      ...runner,
      recordsFiles: true,
      workspace: async (call, request) => {
        this.calls.push(call);
        await this.#held.get(call)?.promise;
        const reply = await workspace.call(call, request);
        if (this.#lost !== call) return reply;
        this.#onLost();
        return new Promise(() => {});
      },
    };
  };

  /** What calls of this kind reply never arrives; settles when the first of them is done. */
  lose(call: WorkspaceCall): Promise<void> {
    this.#lost = call;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onLost = resolve;
    return promise;
  }

  loseNothing(): void {
    this.#lost = undefined;
  }

  /** Calls of this kind wait from now on. */
  hold(call: WorkspaceCall): void {
    this.#held.set(call, Promise.withResolvers());
  }

  /** What waits does so for ever; what comes does not. */
  forget(call: WorkspaceCall): void {
    this.#held.delete(call);
  }

  release(call: WorkspaceCall): void {
    this.#held.get(call)?.resolve();
    this.#held.delete(call);
  }

  /** As when more was kept than may be. */
  async giveUp(session: string): Promise<void> {
    const place = { cwd: this.tree, realCwd: null, roots: [] };
    await this.#workspace?.('forget', { place, session });
  }

  write(path: string, content: string): void {
    writeFileSync(join(this.tree, path), content);
  }
}

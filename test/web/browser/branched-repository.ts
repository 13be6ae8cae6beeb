import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { personsGit } from '../../runner/workspace/repositories.ts';
import { type Beckon, temporaryDirectory } from '../../support/beckon-process.ts';

/** A repository with a remote, and a session in a work tree of its own on another branch. */
export async function branchedRepository(beckon: Beckon) {
  const base = await temporaryDirectory();
  const [main, tree, bare] = [join(base, 'shop'), join(base, 'tree'), join(base, 'remote.git')];
  mkdirSync(main);
  personsGit(base, ['init', '-q', '--bare', '-b', 'main', bare]);
  const git = (...args: string[]): string => personsGit(main, args);
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Grace');
  git('config', 'user.email', 'grace@example.org');
  git('remote', 'add', 'origin', bare);
  writeFileSync(join(main, 'greeting.txt'), 'hello\n');
  git('add', '.');
  git('commit', '-q', '-m', 'first');
  git('worktree', 'add', '-q', '-b', 'agent/greeting', tree);
  const { body } = await beckon.api('POST', '/api/sessions', {
    agent: 'demo',
    cwd: tree,
    title: 'Greeting',
    prompt: 'hello',
  });
  const id: string = body.session.id;
  return { id, main, tree, bare, git };
}

/** The same with commits on both sides, work that is not committed, and, where asked for, a conflict. */
export async function landingShots(beckon: Beckon, isConflict: boolean): Promise<readonly string[]> {
  const { id, main, tree, git } = await branchedRepository(beckon);
  writeFileSync(join(tree, 'greeting.txt'), 'hello, world\n');
  personsGit(tree, [
    'commit',
    '-q',
    '-a',
    '-m',
    'Greet the whole world, and say so in a subject that is rather long',
  ]);
  writeFileSync(join(tree, 'words.txt'), 'one\ntwo\n');
  personsGit(tree, ['add', '.']);
  personsGit(tree, ['commit', '-q', '-m', 'Add words']);
  for (const name of ['words.txt', 'notes.md', 'src/deeply/nested/folder/with-a-long-name.ts']) {
    mkdirSync(join(tree, name, '..'), { recursive: true });
    writeFileSync(join(tree, name), 'not committed\n');
  }
  writeFileSync(join(main, isConflict ? 'greeting.txt' : 'other.txt'), 'good morning\n');
  git('add', '.');
  git('commit', '-q', '-m', 'Morning');
  return [id];
}

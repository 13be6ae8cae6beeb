import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isPushable } from '../../../../src/runner/workspace/landing/push.ts';
import { accepted, personsGit, tripwire } from '../repositories.ts';
import { type LandingRig, landingRig, refusal } from './landing-rig.ts';

/** A repository with a commit, and another one that it can be pushed to. */
function withRemote(rig: LandingRig, url = (bare: string) => bare): string {
  const bare = join(rig.base, 'remote.git');
  personsGit(rig.base, ['init', '-q', '--bare', '-b', 'main', bare]);
  rig.write('a', 'a\n');
  rig.git('add', '.');
  rig.git('commit', '-q', '-m', 'first');
  rig.git('remote', 'add', 'origin', url(bare));
  return bare;
}

const targetOf = async (rig: LandingRig) => {
  const [target] = accepted(await rig.landings.worktree(rig.place)).pushes;
  if (target === undefined) expect.fail('nowhere to push');
  const { problem, ...shown } = target;
  return { problem, shown };
};

describe('[CHG57] a branch is pushed where it was shown to lead, and never by force', () => {
  it('the remote has it afterwards, and what is known of it here', async () => {
    await using rig = landingRig();
    const bare = withRemote(rig);
    const { shown } = await targetOf(rig);
    const head = rig.git('rev-parse', 'HEAD').trim();
    expect(shown).toEqual({ branch: 'main', commit: head, remote: 'origin', url: bare });
    expect(accepted(await rig.landings.push(rig.place, { shown }))).toMatchObject({ done: true });
    expect(personsGit(bare, ['rev-parse', 'main']).trim()).toBe(head);
    expect(rig.git('rev-parse', 'origin/main').trim()).toBe(head);
    // What the other side has besides is not overwritten; what git said is told.
    rig.git('commit', '-q', '--amend', '-m', 'another first');
    const other = await targetOf(rig);
    const refused = accepted(await rig.landings.push(rig.place, other));
    expect(refused).toMatchObject({ done: false, output: expect.stringContaining('rejected') });
    expect(personsGit(bare, ['rev-parse', 'main']).trim()).toBe(head);
  });

  it('another commit, remote or address than was shown is refused', async () => {
    await using rig = landingRig();
    const bare = withRemote(rig);
    const { shown } = await targetOf(rig);
    rig.git('commit', '-q', '--allow-empty', '-m', 'more');
    expect(refusal(await rig.landings.push(rig.place, { shown })).code).toBe('changes_moved');
    const now = (await targetOf(rig)).shown;
    rig.git('remote', 'set-url', '--push', 'origin', `${bare}-other`);
    expect(refusal(await rig.landings.push(rig.place, { shown: now })).code).toBe('changes_moved');
    expect(existsSync(`${bare}-other`)).toBe(false);
    expect(personsGit(bare, ['for-each-ref'])).toBe('');
  });

  it('the address is told as the person’s own settings rewrite it, and without a password', async () => {
    await using rig = landingRig();
    withRemote(rig, () => 'https://ada:hunter2@example.org/shop.git');
    expect((await targetOf(rig)).shown.url).toBe('https://ada:•••@example.org/shop.git');
    appendFileSync(
      join(rig.home, '.gitconfig'),
      '[url "ssh://git@work.example/"]\n\tpushInsteadOf = work:\n',
    );
    rig.git('remote', 'set-url', 'origin', 'work:shop.git');
    expect((await targetOf(rig)).shown.url).toBe('ssh://git@work.example/shop.git');
    // Those of the repository do not hold.
    rig.git('config', 'url.https://evil.example/.insteadOf', 'work:');
    expect((await targetOf(rig)).shown.url).toBe('ssh://git@work.example/shop.git');
  });
});

describe('[CHG58] nothing that a repository is set to runs when it is committed, landed or pushed', () => {
  it.each([
    ['ext::sh -c evil', false],
    ['-oProxyCommand=evil', false],
    ['ssh://-oProxyCommand=evil/x', false],
    ['ssh://me@-oProxyCommand=evil/x', false],
    ['-evil:x', false],
    ['host:-evil', false],
    ['fd::17', false],
    ['transport::address', false],
    ['../elsewhere', false],
    ['rsync://host/x', false],
    ['https://host/a b', false],
    ['https://host/x.git', true],
    ['ssh://git@[::1]:22/x.git', true],
    ['git@host:x.git', true],
    ['/srv/x.git', true],
    ['file:///srv/x.git', true],
  ])('%s can be pushed to: %s', (url, can) => {
    expect(isPushable(url)).toBe(can);
  });

  it('a remote that is a program', async () => {
    await using rig = landingRig();
    const program = tripwire(rig.base, 'program');
    withRemote(rig, () => `ext::${program} end`);
    rig.git('config', 'protocol.ext.allow', 'always');
    const { problem, shown } = await targetOf(rig);
    expect(problem).toBe('url');
    expect(refusal(await rig.landings.push(rig.place, { shown })).code).toBe('commit_refused');
    expect(existsSync(join(rig.base, 'ran'))).toBe(false);
    expect(() => rig.git('push', 'origin', 'main')).toThrow();
    expect(existsSync(join(rig.base, 'ran'))).toBe(true);
  });

  it('hooks and helpers on either side', async () => {
    await using rig = landingRig();
    const program = tripwire(rig.base, 'program');
    const bare = withRemote(rig, (path) => `file://${path}`);
    const lay = (gitDir: string, hooks: readonly string[]): void => {
      mkdirSync(join(gitDir, 'hooks'), { recursive: true });
      for (const hook of hooks) {
        writeFileSync(join(gitDir, 'hooks', hook), readFileSync(program));
        chmodSync(join(gitDir, 'hooks', hook), 0o755);
      }
    };
    lay(join(rig.tree, '.git'), ['pre-push', 'reference-transaction', 'post-index-change']);
    lay(bare, [
      'pre-receive',
      'update',
      'post-receive',
      'post-update',
      'reference-transaction',
      'proc-receive',
    ]);
    personsGit(bare, ['config', 'core.alternateRefsCommand', `${program} end`]);
    writeFileSync(join(bare, 'objects/info/alternates'), `${join(rig.tree, '.git/objects')}\n`);
    for (const name of [
      'core.sshCommand',
      'credential.helper',
      'core.askPass',
      'remote.origin.receivepack',
      'gpg.program',
    ])
      rig.git('config', name, `${program} end`);
    rig.git('config', 'push.gpgSign', 'if-asked');
    const { shown } = await targetOf(rig);
    expect(accepted(await rig.landings.push(rig.place, { shown }))).toMatchObject({ done: true });
    expect(existsSync(join(rig.base, 'ran')) ? readFileSync(join(rig.base, 'ran'), 'utf8') : '').toBe('');
    expect(personsGit(bare, ['rev-parse', 'main']).trim()).toBe(shown.commit);
    expect(() => rig.git('push', '-f', 'origin', 'main:other')).toThrow();
    expect(existsSync(join(rig.base, 'ran'))).toBe(true);
  });

  it('the files of a repository with a work tree are not touched by a push to it', async () => {
    await using rig = landingRig();
    withRemote(rig);
    const other = join(rig.base, 'other');
    personsGit(rig.base, ['clone', '-q', rig.tree, other]);
    personsGit(other, ['config', 'receive.denyCurrentBranch', 'updateInstead']);
    rig.git('remote', 'set-url', 'origin', other);
    rig.write('a', 'more\n');
    rig.git('commit', '-q', '-a', '-m', 'more');
    const { shown } = await targetOf(rig);
    expect(accepted(await rig.landings.push(rig.place, { shown })).done).toBe(false);
    expect(readFileSync(join(other, 'a'), 'utf8')).toBe('a\n');
  });
});

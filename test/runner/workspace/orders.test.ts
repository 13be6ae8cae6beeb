import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openWorkspace } from '../../../src/runner/workspace/workspace.ts';
import { accepted, type WorkspaceRig, workspaceRig } from './repositories.ts';

const program = fileURLToPath(new URL('order-program.ts', import.meta.url));

/** What the machine is asked through, as its runner opens it; again for another start. */
function opened(rig: WorkspaceRig, path = process.env.PATH ?? '') {
  const workspace = openWorkspace({ dataDir: join(rig.base, 'data'), home: join(rig.base, 'home'), path });
  return { call: workspace.call, [Symbol.asyncDispose]: () => workspace.close() };
}

const read = (rig: WorkspaceRig, path: string): string => readFileSync(join(rig.tree, path), 'utf8');

async function turn(rig: WorkspaceRig, call: ReturnType<typeof opened>['call']) {
  const { place } = rig;
  rig.write('a', 'first\n');
  const before = accepted(await call('record', { place })).recording;
  rig.write('a', 'by the agent\n');
  return { before, after: accepted(await call('record', { place })).recording };
}

describe('[CHG15] what is ordered under one id', () => {
  it('is done once, also at once, by another start, and where it was refused', async () => {
    await using rig = workspaceRig();
    const { place } = rig;
    await using first = opened(rig);
    const span = await turn(rig, first.call);
    const order = { place, orderId: 'one', ...span };
    const [one, other] = await Promise.all([first.call('undo', order), first.call('undo', order)]);
    expect(other).toEqual(one);
    expect(accepted(one)).toMatchObject({ done: true, paths: ['a'] });
    rig.write('a', 'by the agent\n');
    expect(await first.call('undo', order)).toEqual(one);
    expect(read(rig, 'a')).toBe('by the agent\n');

    rig.write('a', 'by the person\n');
    const blocked = await first.call('undo', { ...order, orderId: 'two' });
    expect(accepted(blocked).done).toBe(false);
    rig.write('a', 'by the agent\n');
    await using second = opened(rig);
    expect(await second.call('undo', order)).toEqual(one);
    expect(await second.call('undo', { ...order, orderId: 'two' })).toEqual(blocked);
    expect(read(rig, 'a')).toBe('by the agent\n');
    expect(accepted(await second.call('undo', { ...order, orderId: 'three' })).done).toBe(true);
    expect(read(rig, 'a')).toBe('first\n');
  });

  it.each(['before', 'after'])('is done once where it was killed %s it wrote', async (when) => {
    await using rig = workspaceRig();
    const { place } = rig;
    const span = await (async () => {
      await using first = opened(rig);
      return await turn(rig, first.call);
    })();
    await killed(rig, when, { place, orderId: 'one', ...span });
    await using second = opened(rig);
    const outcome = accepted(await second.call('undo', { place, orderId: 'one', ...span }));
    expect(outcome).toMatchObject({ done: true, paths: ['a'] });
    expect(read(rig, 'a')).toBe('first\n');
    if (!outcome.done) return;
    // Its recordings are those of the undo that was cut short: it can be undone.
    rig.write('mine', 'of the person\n');
    const redo = { before: outcome.before, after: outcome.after };
    expect(accepted(await second.call('undo', { place, orderId: 'two', ...redo })).done).toBe(true);
    expect(read(rig, 'a')).toBe('by the agent\n');
    expect(await second.call('undo', { place, orderId: 'one', ...span })).toEqual({
      ok: true,
      value: outcome,
    });
    expect(read(rig, 'a')).toBe('by the agent\n');
  });
});

it('[CHG14] recordings that are asked for at once are one, and none that had begun', async () => {
  await using rig = workspaceRig();
  const calls = join(rig.base, 'calls');
  const folder = join(rig.base, 'programs');
  mkdirSync(folder);
  const path = process.env.PATH ?? '';
  const counting = `#!/bin/sh\nPATH='${path}'\ncase " $* " in *" write-tree "*) echo x >> '${calls}';; esac\nexec git "$@"\n`;
  writeFileSync(join(folder, 'git'), counting);
  chmodSync(join(folder, 'git'), 0o755);
  await using workspace = opened(rig, `${folder}${delimiter}${path}`);
  const { place } = rig;
  rig.write('a', 'first\n');
  const begun = workspace.call('record', { place });
  const asked = Array.from({ length: 20 }, () => workspace.call('record', { place }));
  const all = (await Promise.all([begun, ...asked])).map((one) => accepted(one).recording);
  expect(new Set(all).size).toBe(1);
  expect(readFileSync(calls, 'utf8').split('\n').filter(Boolean).length).toBeLessThanOrEqual(2);
  rig.write('a', 'second\n');
  expect(accepted(await workspace.call('record', { place })).recording).not.toBe(all[0]);
});

/** The order in a program of its own, whose git kills it around the call that writes into the work tree. */
async function killed(rig: WorkspaceRig, when: string, order: object): Promise<void> {
  const folder = join(rig.base, 'programs');
  mkdirSync(folder, { recursive: true });
  const path = process.env.PATH ?? '';
  writeFileSync(
    join(folder, 'git'),
    `#!/bin/sh
PATH='${path}'
case " $* " in
  *" -u "*)
    [ ${when} = before ] || git "$@"
    kill -9 $PPID
    exit 1;;
esac
exec git "$@"
`,
  );
  chmodSync(join(folder, 'git'), 0o755);
  const given = [join(rig.base, 'data'), join(rig.base, 'home'), `${folder}${delimiter}${path}`];
  const child = spawn(process.execPath, [program, ...given, JSON.stringify(order)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [, signal] = await once(child, 'close');
  expect(signal).toBe('SIGKILL');
  expect(readdirSync(join(rig.base, 'data/recordings')).length).toBeGreaterThan(0);
}

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { accepted, contentsKept, workspaceRig } from './repositories.ts';

it("[CHG18] a session's recordings go with it, and not those that another has, too", async () => {
  await using rig = workspaceRig();
  const { place, workspaces } = rig;
  const recorded = async (content: string, ...sessions: string[]): Promise<string> => {
    rig.write('a', content);
    const all = sessions.map((session) => workspaces.record(place, [], session));
    const ids = (await Promise.all(all)).map((one) => accepted(one).id);
    expect(new Set(ids).size).toBe(1);
    return ids[0] ?? '';
  };
  const shared = await recorded('for both\n', 'one', 'other');
  const alone = await recorded('for one alone\n', 'one');
  const undone = accepted(await workspaces.undo(place, { before: shared, after: alone, session: 'one' }));
  if (!undone.done) expect.fail('It was not done.');
  const last = await recorded('for the other\n', 'other');

  accepted(await workspaces.forget(place, 'one'));
  const at = async (id: string): Promise<string | undefined> => {
    const found = await workspaces.content(place, id, 'a');
    return found.ok ? found.value?.toString() : found.refusal.code;
  };
  expect(await at(shared)).toBe('for both\n');
  expect(await at(last)).toBe('for the other\n');
  expect(await at(alone)).toBe('recording_not_found');
  // The same files, recorded within the same second, are the same recording.
  if (undone.after.id !== shared) expect(await at(undone.after.id)).toBe('recording_not_found');
  expect(contentsKept(join(rig.base, 'data'))).toEqual(['', 'for both\n', 'for the other\n']);
  rig.write('added', 'new\n');
  const added = await recorded('for the other\n', 'other');
  const patch = await workspaces.patch(place, { before: last, after: added }, 'added');
  expect(accepted(patch).text).toContain('+new');
  // Nothing that is gone is taken for what is there.
  accepted(await workspaces.forget(place, 'other'));
  const again = accepted(await workspaces.record(place, [], 'third')).id;
  expect(await at(again)).toBe('for the other\n');
});

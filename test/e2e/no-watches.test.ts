import { spawnSync } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { eventually } from '../support/eventually.ts';

afterEach(endBeckons);

const limit = (what: string): string => `echo 0 > /proc/sys/user/max_inotify_${what}`;
const canLimit = spawnSync('unshare', ['-Ur', 'sh', '-c', limit('watches')]).status === 0;

describe.skipIf(!canLimit)('a system without file watches (skipped where none can be made)', () => {
  it.each([
    ['watches', 'ENOSPC'],
    ['instances', 'EMFILE'],
  ])('[SES18] no %s left: agents work all the same, and it is said once', async (what, code) => {
    const node = join(await temporaryDirectory(), 'node');
    const inside = `${limit(what)}; exec "${process.execPath}" "$@"`;
    await writeFile(node, `#!/bin/sh\nexec unshare -Ur sh -c '${inside}' sh "$@"\n`);
    await chmod(node, 0o755);
    const program = resolve(import.meta.dirname, '../../bin/beckon.cjs');
    const beckon = await startBeckon({ command: { node, program } });
    const cwd = await temporaryDirectory();
    for (const key of ['one', 'two']) {
      await beckon.api('POST', '/api/sessions', { agent: 'demo', key, cwd, prompt: 'run echo hello' });
      const { requestId } = await eventually(
        'the ask',
        async () => (await beckon.api('GET', `/api/sessions/${key}/pending`)).body.pending[0],
      );
      await beckon.api('POST', `/api/sessions/${key}/approve`, { requestId, decision: 'allow' });
      await eventually('its turn has ended', async () => {
        const { session } = (await beckon.api('GET', `/api/sessions/${key}`)).body;
        return session.status === 'idle' && session.usage.turns === 1;
      });
      expect((await beckon.api('POST', `/api/sessions/${key}/stop`)).status).toBe(200);
    }
    const said = beckon.stderr().split(`The system has no file watches left (${code})`);
    expect(said).toHaveLength(2);
  });
});

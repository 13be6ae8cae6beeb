import { spawnSync } from 'node:child_process';
import { afterEach, describe, expect, it } from 'vitest';
import { type Beckon, endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { eventually } from '../support/eventually.ts';

const hasWalls = spawnSync('bwrap', ['--dev-bind', '/', '/', '--unshare-pid', 'true']).status === 0;

afterEach(endBeckons);

async function isolationOfSession(beckon: Beckon, key: string, cwd: string): Promise<string | null> {
  const { body } = await beckon.api('POST', '/api/sessions', { agent: 'demo', key, cwd });
  expect(body.session.isolation).toBeNull();
  return eventually('it is ready', async () => {
    const { session } = (await beckon.api('GET', `/api/sessions/${key}`)).body;
    return session.status === 'idle' && session.isolation;
  });
}

describe('whether agents are behind walls is said where a person looks', () => {
  it.skipIf(!hasWalls)(
    '[SEC12] with bubblewrap (skipped where it does not work): by the start, the session, the terminal and the status',
    async () => {
      const beckon = await startBeckon({ env: { BECKON_ISOLATION: 'auto' } });
      expect(beckon.stderr()).toContain('Agents run behind walls');
      const cwd = await temporaryDirectory();
      expect(await isolationOfSession(beckon, 'walled', cwd)).toBe('walls');
      const watched = await beckon.run(['watch', 'walled', '--once']);
      expect(watched.stdout).toMatch(/^behind walls$/m);
      const status = await beckon.run(['status']);
      expect(status.stdout).toMatch(/^Agents run behind walls$/m);
      expect(status.stdout).toMatch(/behind walls\n/);

      await beckon.kill9();
      const next = await startBeckon({ dataDir: beckon.dataDir, env: { BECKON_ISOLATION: 'off' } });
      expect(next.stderr()).toContain('Agents run without walls: isolation is off');
      expect((await next.api('GET', '/api/sessions/walled')).body.session.isolation).toBe('walls');
      await next.api('POST', '/api/sessions/walled/stop');
      await eventually('none runs', async () => {
        const { session } = (await next.api('GET', '/api/sessions/walled')).body;
        return session.isolation === null;
      });
      expect(await isolationOfSession(next, 'open', cwd)).toBe('none');
    },
  );

  it('[SEC12] without it: why, and what to install', async () => {
    const nothing = await temporaryDirectory();
    const beckon = await startBeckon({ env: { BECKON_ISOLATION: 'auto', PATH: nothing } });
    const line = 'Agents run without walls: "bwrap" is not installed (the package is called "bubblewrap")';
    expect(beckon.stderr()).toContain(JSON.stringify(line).slice(1, -1));
    expect(await isolationOfSession(beckon, 's', nothing)).toBe('none');
    expect((await beckon.run(['watch', 's', '--once'])).stdout).toMatch(/^without walls$/m);
    const { stdout } = await beckon.run(['status']);
    expect(stdout).toContain(`${line}\n`);
    expect(stdout).toContain('without walls\n');
    const { server } = JSON.parse((await beckon.run(['status', '--json'])).stdout);
    expect(server.isolation).toMatchObject({ agents: 'without-walls' });
  });

  it('[SEC12] where they are required and cannot be had: that no agent can be started', async () => {
    const nothing = await temporaryDirectory();
    const beckon = await startBeckon({ env: { BECKON_ISOLATION: 'require', PATH: nothing } });
    const line = 'No agent can be started: isolation is required, and ';
    expect(beckon.stderr()).toContain(line);
    expect((await beckon.run(['status'])).stdout).toContain(line);
  });
});

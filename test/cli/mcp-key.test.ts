import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it } from 'vitest';
import { type Beckon, endBeckons, runBeckon, startBeckon } from '../support/beckon-process.ts';

// Several servers are started: on a busy machine that takes its time.
afterEach(endBeckons);

interface Access {
  readonly url: string;
  readonly key: string;
  readonly isOpen: boolean;
}

const accessTo = async (beckon: Beckon, id: string): Promise<Access> =>
  JSON.parse((await beckon.run(['mcp-key', id, '--json'])).stdout);

/** The tools that a client from outside is told of. */
async function toolsBy({ url, key }: Pick<Access, 'url' | 'key'>): Promise<string[]> {
  const client = new Client({ name: 'outside', version: '1.0.0' });
  const headers = { authorization: `Bearer ${key}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  const { tools } = await client.listTools();
  await client.close();
  return tools.map(({ name }) => name);
}

describe('beckon mcp-key', () => {
  it('[API18] a client from outside reaches the tools with what it prints, and with a rotated key no longer', async () => {
    const first = await startBeckon({ args: ['--public-url', 'https://beckon.example.org'] });
    const { body } = await first.api('POST', '/api/sessions', { agent: 'demo', key: 'outside' });
    const { id } = body.session;
    const access = await accessTo(first, 'outside');
    expect(access).toMatchObject({
      sessionId: id,
      url: `${first.url}/mcp/${id}`,
      publicUrl: `https://beckon.example.org/mcp/${id}`,
      isOpen: true,
      config: { mcpServers: { beckon: { headers: { Authorization: `Bearer ${access.key}` } } } },
    });
    expect(await toolsBy(access)).toContain('ask_user');
    const { stdout } = await first.run(['mcp-key', 'outside']);
    expect(stdout).toContain(access.key);
    // It opens nothing else.
    const api = await fetch(`${first.url}/api/sessions`, {
      headers: { authorization: `Bearer ${access.key}` },
    });
    expect(api.status).toBe(401);

    const rotated = await first.run(['mcp-key', '--rotate']);
    expect(rotated.stdout).toContain('"beckon restart"');
    expect(((await stat(join(first.dataDir, 'tool-secret'))).mode & 0o777).toString(8)).toBe('600');
    expect(await toolsBy(access)).toContain('ask_user');
    await first.stop();
    const second = await startBeckon({ dataDir: first.dataDir });
    await second.api('POST', `/api/sessions/${id}/resume`);
    const renewed = await accessTo(second, id);
    expect(renewed.key).not.toBe(access.key);
    await expect(toolsBy({ url: renewed.url, key: access.key })).rejects.toThrow();
    expect(await toolsBy(renewed)).toContain('ask_user');
    await second.api('POST', `/api/sessions/${id}/stop`);
    expect((await accessTo(second, id)).isOpen).toBe(false);
  });

  it('[API18] without a server there is no address, and rotating is at once', async () => {
    const beckon = await startBeckon();
    await beckon.stop();
    const none = await beckon.run(['mcp-key', 'some', '--json']);
    expect(JSON.parse(none.stdout).error.code).toBe('no_server');
    expect(JSON.parse((await beckon.run(['mcp-key', '--rotate', '--json'])).stdout)).toEqual({
      status: 'ok',
      restartNeeded: false,
    });
    expect((await runBeckon(['mcp-key', 'some', '--rotate'])).code).toBe(2);
  });
});

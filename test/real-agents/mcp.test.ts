import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describe as describeTool, done, type Stage, stage } from '../tools/mcp-stage.ts';
import { claudePrograms } from './claude-program.ts';
import { text, toolUse } from './model-stand-in.ts';
import { isResult, type Line, RawClaude } from './raw-claude.ts';
import { ours } from './tool-files.ts';
import { openWorkplace, type Workplace } from './workplace.ts';

const tool = ours('ask_user');

/** How the real program behaves as a client of the endpoint, without Beckon around it. */
describe.each(claudePrograms())('the MCP endpoint with Claude Code $version', (program) => {
  let place: Workplace;
  let claude: RawClaude | undefined;

  beforeEach(async () => {
    place = await openWorkplace();
    for (const prompt of ['go', 'again'])
      place.model.on(prompt, [toolUse(tool, { question: 'Why?' }, [text('ok')])]);
  });

  afterEach(async () => {
    await claude?.kill();
    await place.close();
  });

  /** Started as Beckon starts it, so that it waits for its tools. */
  async function run(endpoint: Stage, env: Readonly<Record<string, string>> = {}): Promise<RawClaude> {
    const { folder, model, home, cwd } = place;
    const config = join(folder, 'mcp.json');
    const server = { type: 'http', url: endpoint.url(), headers: { Authorization: 'Bearer x' } };
    await writeFile(config, JSON.stringify({ mcpServers: { beckon: server } }));
    claude = new RawClaude({
      program,
      baseUrl: model.url,
      home,
      cwd,
      args: [`--mcp-config=${config}`, `--allowedTools=${tool}`],
      env: {
        MCP_TOOL_TIMEOUT: String(7 * 24 * 60 * 60 * 1000),
        MCP_CONNECTION_NONBLOCKING: '0',
        MCP_CONNECT_TIMEOUT_MS: '60000',
        ...env,
      },
    });
    return claude;
  }

  const seen = async (words: string) =>
    place.model.nextRequest(({ toolResults }) => toolResults.some((result) => result.text.includes(words)));

  /** An agent that asks anew for the tools, when it hears that there are others, has read all that came before. */
  const hasReadAll = async ({ host }: Stage): Promise<void> => {
    host.change([...host.tools, describeTool('another')]);
    // The endpoint has looked at the list by now; whoever looks at it from here on is the agent.
    const { looks } = host;
    await expect.poll(() => host.looks).toBeGreaterThan(looks);
  };

  /** A server that answers nothing until it is let. */
  const slow = ({ http }: Stage) => {
    const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const answer = http.listeners('request')[0];
    http.removeAllListeners('request').on('request', async (...exchange) => {
      reached.resolve();
      await released.promise;
      // The agent may have given up on it, or be ended in the middle of it.
      await Promise.resolve(answer?.apply(http, exchange)).catch(() => {});
    });
    return { reached: reached.promise, release: released.resolve };
  };

  const isInit = ({ type, subtype }: Line): boolean => type === 'system' && subtype === 'init';

  /** The end of a server that was killed: its connections break, and nothing more is said. */
  const kill = async ({ http }: Stage): Promise<void> => {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  };

  it('[TOOL11] lists, calls, cancels, and listens for new tools', async () => {
    const endpoint = await stage();
    const agent = await run(endpoint);
    agent.say('go');
    const init = await agent.next('init', isInit);
    expect(init.tools).toContain(tool);
    const call = await endpoint.host.nth(0);
    expect(call.options.callId).toMatch(/^toolu_/);
    expect(call.options.agentToolName).toBe(tool);
    agent.request('i1', { subtype: 'interrupt' });
    await agent.next('result', isResult);
    await expect.poll(() => call.options.signal.aborted).toBe(true);
    agent.say('again');
    (await endpoint.host.nth(1)).end(done('here you are'));
    await seen('here you are');
  });

  it('[TOOL11] waits with its first turn for a server that is slow, when it is told to', async () => {
    const endpoint = await stage();
    const server = slow(endpoint);
    const agent = await run(endpoint);
    agent.say('go');
    await server.reached;
    // As slow as it is: an agent that does not wait has asked its model by then.
    setTimeout(server.release, 1_000);
    expect((await agent.next('init', isInit)).tools).toContain(tool);
    (await endpoint.host.nth(0)).end(done('here you are'));
    await seen('here you are');
  });

  it('[TOOL11] begins its first turn without a slow server, when it is told not to wait', async () => {
    const server = await stage();
    const { release } = slow(server);
    const agent = await run(server, { MCP_CONNECTION_NONBLOCKING: '1' });
    agent.say('go');
    expect((await agent.next('init', isInit)).tools).not.toContain(tool);
    release();
  });

  it('[TOOL6] a call that waits while the server is killed is told by the next one how its answer comes', async () => {
    const limits = { retryMs: 3_000 };
    const first = await stage({ limits });
    const agent = await run(first);
    agent.say('go');
    await first.host.nth(0);
    await hasReadAll(first);
    await kill(first);
    const second = await stage({ limits, port: first.port, left: () => 'open' });
    await seen('will reach you as a message');
    await agent.next('result', isResult);
    agent.say('again');
    (await second.host.nth(0)).end(done('from the second server'));
    await seen('from the second server');
  });

  it('[TOOL11] a call after a restart works as if nothing had been', async () => {
    const first = await stage();
    first.host.answer = done('from the first server');
    const agent = await run(first);
    agent.say('go');
    await seen('from the first server');
    await agent.next('result', isResult);
    await kill(first);
    const second = await stage({ port: first.port });
    second.host.answer = done('from the second server');
    agent.say('again');
    await seen('from the second server');
  });
});

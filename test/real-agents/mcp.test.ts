import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describe as describeTool, done, type Stage, stage } from '../tools/mcp-stage.ts';
import { claudePrograms } from './claude-program.ts';
import { text, toolUse } from './model-stand-in.ts';
import { isResult, RawClaude } from './raw-claude.ts';
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

  async function run(endpoint: Stage): Promise<RawClaude> {
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
      env: { MCP_TOOL_TIMEOUT: String(7 * 24 * 60 * 60 * 1000) },
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

  /** The end of a server that was killed: its connections break, and nothing more is said. */
  const kill = async ({ http }: Stage): Promise<void> => {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  };

  it('[TOOL11] lists, calls, cancels, and listens for new tools', async () => {
    const endpoint = await stage();
    const agent = await run(endpoint);
    agent.say('go');
    const init = await agent.next('init', (line) => line.type === 'system' && line.subtype === 'init');
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

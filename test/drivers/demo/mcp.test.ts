import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { afterwards, done, stage } from '../../tools/mcp-stage.ts';
import { contentOf, type DemoProcess, endDemos, isAsk, type Line, startDemo } from './demo-process.ts';

afterEach(endDemos);

/** The demo agent with an MCP server of this address. */
function startWith(url: string, allowed = 'mcp__beckon__ask_user,mcp__beckon__deploy'): DemoProcess {
  const folder = mkdtempSync(join(tmpdir(), 'beckon-mcp-'));
  afterwards(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'mcp.json');
  const server = { type: 'http', url, headers: { Authorization: 'Bearer x' } };
  writeFileSync(file, JSON.stringify({ mcpServers: { beckon: server } }));
  return startDemo({ args: [`--mcp-config=${file}`, `--allowedTools=${allowed}`] });
}

const isInit = (line: Line): boolean => line.subtype === 'init';
const isToolResult = (line: Line): boolean => contentOf(line)[0]?.type === 'tool_result';

describe('the demo program as an MCP client', () => {
  it('[TOOL11] names the tools in its first line, and calls one as the real program does', async () => {
    const { host, url } = await stage();
    const demo = startWith(url());
    demo.say('call ask_user {"question":"Why?"}');
    const init = await demo.next('init', isInit);
    expect(init).toMatchObject({ mcp_servers: [{ name: 'beckon', status: 'connected' }] });
    expect((init as Line & { tools: string[] }).tools).toContain('mcp__beckon__deploy');
    const call = await host.nth(0);
    const used = demo.lines.flatMap(contentOf).find(({ type }) => type === 'tool_use');
    expect(used).toMatchObject({ name: 'mcp__beckon__ask_user', input: { question: 'Why?' } });
    expect(call).toMatchObject({
      name: 'ask_user',
      args: { question: 'Why?' },
      options: { callId: used?.id },
    });
    call.end(done('Because.'));
    const result = contentOf(await demo.next('tool result', isToolResult))[0];
    expect(result).toMatchObject({ tool_use_id: used?.id, content: [{ type: 'text', text: 'Because.' }] });
    expect((await demo.result()).result).toContain('Because.');
  });

  it('[TOOL11] asks before a tool that is not allowed', async () => {
    const { host, url } = await stage();
    host.answer = done('deployed');
    const demo = startWith(url(), '');
    demo.say('call deploy');
    const ask = await demo.ask();
    expect(ask.request.tool_name).toBe('mcp__beckon__deploy');
    expect(isAsk(ask)).toBe(true);
    demo.respond(ask, { behavior: 'allow', updatedInput: ask.request.input });
    expect((await demo.result()).result).toContain('deployed');
  });

  it('[TOOL9] cancels its call when it is interrupted', async () => {
    const { host, url } = await stage();
    const demo = startWith(url());
    demo.say('call ask_user {}');
    const { options } = await host.nth(0);
    const cancelled = new Promise((resolve) => options.signal.addEventListener('abort', resolve));
    demo.request('i', { subtype: 'interrupt' });
    await cancelled;
    expect(await demo.result()).toMatchObject({ terminal_reason: 'aborted_tools' });
  });

  it('[TOOL8] tells of an error as one', async () => {
    const { host, url } = await stage();
    host.answer = { ok: false, text: 'broken', code: 'x', message: 'broken' };
    const demo = startWith(url());
    demo.say('call deploy');
    expect(contentOf(await demo.next('tool result', isToolResult))[0]).toMatchObject({ is_error: true });
    expect((await demo.result()).result).toContain('It did not work out: broken');
    demo.say('call no_such_tool');
    expect((await demo.result()).result).toContain('No such tool available');
    demo.say('call deploy {not json}');
    expect((await demo.result()).result).toContain('no JSON object');
  });

  it('[TOOL6] takes up a call whose server was restarted', async () => {
    const limits = { retryMs: 50 };
    const first = await stage({ limits });
    const demo = startWith(first.url());
    demo.say('call ask_user {}');
    await first.host.nth(0);
    await new Promise(setImmediate);
    first.http.closeAllConnections();
    await new Promise((resolve) => first.http.close(resolve));
    await stage({ limits, port: first.port, left: () => 'open' });
    expect((await demo.result()).result).toContain('will reach you as a message');
  });

  it('[TOOL11] works without a server that is not there', async () => {
    const { http, url } = await stage();
    await new Promise((resolve) => http.close(resolve));
    const demo = startWith(url());
    demo.say('hello');
    expect(await demo.next('init', isInit)).toMatchObject({
      mcp_servers: [{ name: 'beckon', status: 'failed' }],
    });
    expect(await demo.result()).toMatchObject({ is_error: false });
  });
});

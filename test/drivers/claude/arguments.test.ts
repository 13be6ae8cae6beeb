import { expect, test } from 'vitest';
import { claudeArguments, claudeEnvironment } from '../../../src/drivers/claude/arguments.ts';
import { uuidOf } from '../../../src/drivers/claude/user-message.ts';

const always = [
  '-p',
  '--input-format=stream-json',
  '--output-format=stream-json',
  '--permission-prompt-tool=stdio',
  '--verbose',
  '--include-partial-messages',
  '--replay-user-messages',
];

test('[PEER1] a plain session has the flags of the wire and no others', () => {
  expect(claudeArguments({ model: null, permissionMode: null, resume: null, tools: null })).toEqual(always);
});

test('[PEER1] settings are added, each joined to its flag', () => {
  const settings = { model: '--dangerous', permissionMode: 'plan', resume: 'abc', tools: null };
  expect(claudeArguments(settings)).toEqual([
    ...always,
    '--model=--dangerous',
    '--permission-mode=plan',
    '--resume=abc',
  ]);
});

test('[PEER1] [TOOL11] the tools are named by a file, and those that ask by themselves are allowed', () => {
  const plain = { model: null, permissionMode: null, resume: null };
  const tools = { configFile: '/data/mcp/p1.json', unasked: ['ask_user', 'deploy'] };
  expect(claudeArguments({ ...plain, tools })).toEqual([
    ...always,
    '--mcp-config=/data/mcp/p1.json',
    '--allowedTools=mcp__beckon__ask_user,mcp__beckon__deploy',
  ]);
  expect(claudeArguments({ ...plain, tools: { ...tools, unasked: [] } })).toEqual([
    ...always,
    '--mcp-config=/data/mcp/p1.json',
  ]);
});

test('[PEER1] a tool may wait long for a person, unless the session says otherwise', () => {
  expect(Number(claudeEnvironment({}).MCP_TOOL_TIMEOUT)).toBeGreaterThan(86_400_000);
  expect(claudeEnvironment({ MCP_TOOL_TIMEOUT: '5', MAX_THINKING_TOKENS: '9' })).toEqual({
    MCP_TOOL_TIMEOUT: '5',
    MAX_THINKING_TOKENS: '9',
  });
});

test('[MSG5] a message has the same uuid each time it is sent', () => {
  const uuid = '0F8FAD5B-D9CB-469F-A165-70867728950E';
  expect(uuidOf(uuid)).toBe(uuid.toLowerCase());
  expect(uuidOf('msg_1')).toBe(uuidOf('msg_1'));
  expect(uuidOf('msg_1')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(uuidOf('msg_1')).not.toBe(uuidOf('msg_2'));
});

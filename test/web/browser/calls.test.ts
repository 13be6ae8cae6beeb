import { beforeAll, expect, it } from 'vitest';
import { type Beckon, startBeckon } from '../../support/beckon-process.ts';
import {
  type ScriptedAsk,
  type ScriptedSession,
  scriptedClaude,
  startScripted,
} from '../../support/scripted-claude/scripted-claude.ts';
import { violationsOf } from './accessibility.ts';
import { desktop, phone, withBrowser } from './browser.ts';

const { come } = withBrowser({ servers: 'all tests' });
let beckon: Beckon;
let agent: ScriptedSession;
beforeAll(async () => {
  beckon = await startBeckon({ args: ['--claude', await scriptedClaude()] });
  agent = await startScripted(beckon, 'Asking');
});

/** One ask of each kind, and all that a person must be able to read before they decide. */
const asks: readonly (ScriptedAsk & { readonly seen: readonly string[] })[] = [
  {
    id: 'command',
    input: {
      command: 'npm test -- --watch',
      description: 'Watch the tests',
      run_in_background: true,
      dangerouslyDisableSandbox: true,
      timeout: 4711,
    },
    seen: [
      'May I run this?',
      'npm test -- --watch',
      'Watch the tests',
      'It goes on in the background.',
      'It runs without the sandbox.',
      '4711',
    ],
  },
  {
    id: 'edits',
    tool: 'MultiEdit',
    input: {
      file_path: 'src/cart.ts',
      edits: [
        { old_string: 'get(token)', new_string: 'get(id)', replace_all: true },
        { old_string: 'const a = 1;', new_string: 'const b = 1;', because: 'a is taken' },
      ],
    },
    seen: [
      'May I change this file?',
      'In every place where the old text stands:',
      'const b = 1;',
      'a is taken',
    ],
  },
  {
    id: 'read',
    tool: 'Read',
    input: { file_path: '/etc/hosts', offset: 12 },
    blockedPath: '/etc/hosts',
    seen: [
      'May I read this?',
      'It reaches out of the session’s directory.',
      'The agent asks because of /etc/hosts',
      '12',
    ],
  },
  {
    id: 'page',
    tool: 'WebFetch',
    input: { url: 'https://docs.example/a?b=c', prompt: 'Sum it up', depth: 3 },
    seen: ['docs.example', 'https://docs.example/a?b=c', 'Sum it up', 'depth', '3'],
  },
  {
    id: 'unknown',
    tool: 'mcp__shop__refund',
    input: { order: { id: 'A-17', lines: [1, 2] }, dangerouslySkipChecks: true },
    seen: ['shop › refund', '"A-17"', 'It has a field that calls itself dangerous.'],
  },
  {
    id: 'plan',
    tool: 'ExitPlanMode',
    input: {
      plan: '# Two steps\n\n1. Look\n2. Act',
      allowedPrompts: [{ tool: 'Bash', prompt: 'run tests' }],
    },
    seen: ['Shall I go on with this plan?', 'Two steps', 'run tests'],
  },
];

it('[ASK15] [UI5] every kind of call is shown with all that goes into it, large and on a phone', async () => {
  const ids = await agent.script({ ask: asks });
  for (const view of [desktop, phone]) {
    const { page, problems } = await come(beckon, `/s/${agent.sessionId}`, view);
    for (const [at, { seen }] of asks.entries()) {
      const card = page.locator(`main [data-ask="${ids[at]}"]`);
      await card.waitFor();
      for (const words of seen) await card.getByText(words).first().waitFor();
    }
    expect(await violationsOf(page)).toEqual([]);
    expect(problems).toEqual([]);
  }
  // In the monitor there is little room: what must not be overlooked is there all the same.
  const { page } = await come(beckon, '/');
  for (const words of ['It goes on in the background.', 'It runs without the sandbox.'])
    await page.locator('main article').getByText(words).waitFor();
});

import type { NewEvent } from '../../../src/protocol/event.ts';
import { GrantId } from '../../../src/protocol/ids.ts';
import { allowed, asked, called, said, thought, turnEnded } from './told-events.ts';

const cwd = '/work/shop';

/** A conversation with one of everything, as a day's work leaves it. */
export const everyday: readonly NewEvent[] = [
  ...asked('The cart forgets its items when the session cookie is renewed. Please find out why and fix it.'),
  thought(
    'The cookie is renewed in the middleware. If the cart is keyed by the cookie’s value instead of the session id, a renewal would orphan it. I should look at the middleware first, then at the store.',
  ),
  said('I will look at how the session is renewed, and at what the cart is keyed by.'),
  ...['src/server/session.ts', 'src/server/cart-store.ts', 'src/server/middleware.ts'].flatMap((path) =>
    called({
      name: 'Read',
      input: { file_path: `${cwd}/${path}` },
      output: '1\timport …',
      detail: {
        type: 'text',
        file: {
          filePath: `${cwd}/${path}`,
          content:
            "import { randomUUID } from 'node:crypto';\n\n// One cart for each visitor.\nexport class CartStore {\n  readonly #carts = new Map<string, Cart>();\n\n  find(token: string): Cart | undefined {\n    return this.#carts.get(token);\n  }\n}\n",
          numLines: 10,
          startLine: 1,
          totalLines: 10,
        },
      },
    }),
  ),
  ...called({
    name: 'Grep',
    input: { pattern: 'carts\\.get\\(', path: `${cwd}/src`, output_mode: 'content' },
    output:
      'src/server/cart-store.ts:8:    return this.#carts.get(token);\nsrc/server/checkout.ts:31:  const cart = carts.get(token);',
    detail: { mode: 'content', numFiles: 2, filenames: [] },
  }),
  said(
    [
      'Found it. The store is keyed by the **cookie’s token**, and `renew()` makes a new one:',
      '',
      '```ts',
      'export function renew(session: Session): Session {',
      '  // The old token is forgotten, and with it the cart.',
      '  return { ...session, token: randomUUID() };',
      '}',
      '```',
      '',
      'Three ways out:',
      '',
      '1. Key the cart by `session.id`, which never changes.',
      '2. Move the cart over in `renew()`.',
      '3. Keep the token, and only extend its *expiry*.',
      '',
      '| way | files | risk |',
      '|---|--:|---|',
      '| by id | 2 | old carts need a migration |',
      '| move over | 1 | two requests at once may race |',
      '| extend | 1 | tokens live longer than [OWASP](https://owasp.org/) advises |',
      '',
      '> The first is the one that cannot race, so I take it.',
    ].join('\n'),
  ),
  ...called({
    name: 'TodoWrite',
    input: {
      todos: [
        { content: 'Key the cart by session id', activeForm: 'Keying the cart', status: 'completed' },
        { content: 'Migrate carts that exist', activeForm: 'Migrating carts', status: 'in_progress' },
        { content: 'Run the tests', activeForm: 'Running the tests', status: 'pending' },
      ],
    },
    output: 'Todos have been modified successfully.',
  }),
  ...called({
    name: 'Edit',
    input: {
      file_path: `${cwd}/src/server/cart-store.ts`,
      old_string: '  find(token: string): Cart | undefined {\n    return this.#carts.get(token);\n  }',
      new_string:
        '  find(sessionId: string): Cart | undefined {\n    return this.#carts.get(sessionId);\n  }',
    },
    output: 'The file has been updated.',
    detail: {
      filePath: `${cwd}/src/server/cart-store.ts`,
      structuredPatch: [
        {
          oldStart: 4,
          newStart: 4,
          oldLines: 7,
          newLines: 8,
          lines: [
            ' export class CartStore {',
            '   readonly #carts = new Map<string, Cart>();',
            ' ',
            '-  find(token: string): Cart | undefined {',
            '-    return this.#carts.get(token);',
            '+  find(sessionId: string): Cart | undefined {',
            '+    return this.#carts.get(sessionId);',
            '   }',
            '+  // Tokens change; the id of a session does not.',
            ' }',
          ],
        },
      ],
    },
  }),
  ...called({
    name: 'Write',
    input: {
      file_path: `${cwd}/migrations/0007-cart-owner.sql`,
      content: 'ALTER TABLE cart ADD COLUMN session_id TEXT;\nUPDATE cart SET session_id = owner;\n',
    },
    output: 'File created successfully',
    detail: {
      type: 'create',
      filePath: `${cwd}/migrations/0007-cart-owner.sql`,
      content: 'ALTER TABLE cart ADD COLUMN session_id TEXT;\nUPDATE cart SET session_id = owner;\n',
      structuredPatch: [],
    },
  }),
  ...allowed('npm test -- cart'),
  ...called({
    name: 'Bash',
    input: { command: 'npm test -- cart', description: 'Run the tests of the cart' },
    output: `\u001b[32m✓\u001b[0m cart survives a renewal\n${Array.from({ length: 30 }, (_, at) => `\u001b[32m✓\u001b[0m cart case ${at + 1}`).join('\n')}\n\n31 passed`,
    detail: { stdout: '', stderr: '', interrupted: false },
  }),
  ...called({
    name: 'Bash',
    input: { command: 'npm run lint' },
    output: 'Exit code 1\nsrc/server/checkout.ts:31 unused variable “token”',
    isError: true,
  }),
  ...called({
    name: 'Agent',
    input: {
      description: 'Look for other users of the token',
      prompt: 'Search the whole project for code that keys anything by the cookie’s token, and list it.',
      subagent_type: 'general-purpose',
    },
    output: 'Two more places: `src/server/checkout.ts:31` and `src/jobs/cleanup.ts:12`. Both are reads.',
    within: (agent) => [
      said('I search for it.', agent),
      ...called({ name: 'Grep', input: { pattern: 'token' }, output: '14 matches', parent: agent }),
      ...called({
        name: 'Agent',
        input: { description: 'Check the jobs', prompt: 'Only src/jobs.' },
        output: 'One place in cleanup.ts.',
        parent: agent,
        within: (inner) => [
          ...called({ name: 'Glob', input: { pattern: 'src/jobs/**' }, output: 'cleanup.ts', parent: inner }),
        ],
      }),
    ],
  }),
  ...called({
    name: 'WebFetch',
    input: { url: 'https://example.com/cookies', prompt: 'What does it say on renewal?' },
    output: 'Renew the token on sign-in and on every change of rights.',
    detail: { code: 200, bytes: 1832 },
  }),
  ...called({
    name: 'mcp__tickets__comment',
    input: {
      ticket: 'SHOP-311',
      body: 'Fixed by keying carts by session id.\nTests pass.',
      watchers: ['ana', 'bo'],
    },
    output: '{"ok":true}',
  }),
  {
    type: 'grant.created',
    grant: {
      id: GrantId.parse('grt_1'),
      toolName: 'Bash',
      pattern: 'npm test *',
      scope: 'session',
      createdAt: '2026-01-05T09:00:00.000Z',
      by: { kind: 'person' },
    },
  } as NewEvent,
  ...allowed('npm test', 'grant'),
  said('Done: carts are keyed by `session.id`, the migration moves the old ones, and all 31 tests pass.'),
  turnEnded(),
  ...asked('Thanks! And the lint error?'),
  said('I remove the unused variable.'),
  turnEnded({ outcome: 'interrupted', durationMs: 3100, costUsd: 0.002 }),
  ...asked('Go on please'),
  turnEnded({ outcome: 'failed', error: 'API Error: 529 overloaded', durationMs: 900, costUsd: 0 }),
];

/** Everything in it wants to do something that it must not. */
export const hostile: readonly NewEvent[] = [
  ...asked('Show me something bad'),
  said(
    [
      'Before <script>window.pwned = 1</script> after',
      '',
      '<img src=x onerror="window.pwned = 2">',
      '',
      '<iframe src="javascript:window.pwned=3"></iframe>',
      '',
      '![a picture](https://tracker.example/pixel.png)',
      '',
      '[press me](javascript:window.pwned=4) and [me](JaVaScRiPt:window.pwned=5) and [a real one](https://example.com/x)',
      '',
      '[data](data:text/html,<script>window.pwned=6</script>)',
      '',
      'colour \u001b[31mred\u001b[0m, a title \u001b]0;owned\u0007, and \u202eesrever\u202c',
      '',
      `${'>'.repeat(3000)} deep`,
      '',
      `${'['.repeat(5000)}`,
    ].join('\n'),
  ),
  ...called({
    name: 'Bash',
    input: { command: 'printf "\u001b[31m<b onclick=alert(1)>"' },
    output:
      '\u001b[31mred\u001b[0m <script>window.pwned = 7</script> \u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007',
    detail: { stdout: '', stderr: '', interrupted: false },
  }),
  ...called({
    name: 'Write',
    input: {
      file_path: `${cwd}/x.html`,
      content: '<script>window.pwned = 8</script>\n<img src="https://tracker.example/2.png">',
    },
    output: 'ok',
    detail: { type: 'create', content: '<script>window.pwned = 8</script>', structuredPatch: [] },
  }),
  ...called({
    name: '<img src=x onerror=window.pwned=9>',
    input: { '<b>': '</pre><script>window.pwned=10</script>', __proto__: 'x' },
    output: '<svg onload="window.pwned=11">',
  }),
  turnEnded(),
];

const words =
  'the cart keeps its items when a session is renewed because the store looks them up by the session and not by its token'.split(
    ' ',
  );

/** A long conversation of many kinds of things, so many events long. */
export function* long(count: number): Generator<NewEvent> {
  for (let made = 1, turn = 1; made < count; turn += 1) {
    const events = turnOf(turn).slice(0, count - made);
    yield* events;
    made += events.length;
  }
}

function turnOf(turn: number): NewEvent[] {
  const prose = (length: number): string =>
    Array.from({ length }, (_, at) => words[(turn * 7 + at * 3) % words.length]).join(' ');
  const path = `${cwd}/src/part-${turn % 40}/file-${turn}.ts`;
  return [
    ...asked(`Message number ${turn}: ${prose(8 + (turn % 20))}`),
    thought(prose(20 + (turn % 50))),
    said(`Answer number ${turn}. ${prose(20 + ((turn * 13) % 120))}`),
    ...called({ name: 'Read', input: { file_path: path }, output: `1\t${prose(30)}` }),
    ...called({ name: 'Grep', input: { pattern: `number${turn}` }, output: prose(12) }),
    said(
      turn % 3 === 0
        ? `- ${prose(6)}\n- ${prose(9)}\n\n\`\`\`ts\nexport const n${turn} = ${turn}; // ${prose(4)}\nconst other = n${turn} + 1;\n\`\`\`\n\n**${prose(3)}** ${prose(30)}`
        : prose(60),
    ),
    ...called({
      name: 'Edit',
      input: { file_path: path, old_string: 'a', new_string: 'b' },
      output: 'ok',
      detail: {
        structuredPatch: [
          { oldStart: turn, newStart: turn, lines: [` ${prose(3)}`, `-${prose(4)}`, `+${prose(5)}`] },
        ],
      },
    }),
    ...called({
      name: 'Bash',
      input: { command: `npm test -- part-${turn}` },
      output: Array.from({ length: turn % 25 }, (_, at) => `line ${at} ${prose(6)}`).join('\n'),
      detail: { stdout: '', stderr: '', interrupted: false },
    }),
    turnEnded({ durationMs: 1000 + turn }),
  ];
}

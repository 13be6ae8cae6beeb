import fc from 'fast-check';
import { Lexer, type Token } from 'marked';
import { describe, expect, it } from 'vitest';
import { type exportFormats, exportName, exportSession } from '../../src/model/export/session-export.ts';
import { safeLink } from '../../src/model/safe-link.ts';
import type { Event, NewEvent } from '../../src/protocol/event.ts';
import { InteractionId, MessageId, SessionId } from '../../src/protocol/ids.ts';
import type { Form } from '../../src/protocol/interaction.ts';
import type { Session } from '../../src/protocol/session.ts';
import { times } from '../support/seeded-random.ts';

const at = '2026-11-16T12:00:00.000Z';

/** A session in which one text is said in every place where anyone can say something. */
function sessionSaying(text: string): { session: Session; events: readonly Event[] } {
  const interactionId = InteractionId.parse('int_1');
  const by = { kind: 'person', via: 'device', device: { id: 'd', name: text } } as const;
  const told: NewEvent[] = [
    { type: 'message.taken', messageId: MessageId.parse('m'), text, images: [] },
    { type: 'agent.text', agentMessageId: 'a', block: 0, text },
    { type: 'agent.thinking', agentMessageId: 'a', block: 1, text },
    {
      type: 'tool.called',
      agentMessageId: 'a',
      block: 2,
      toolCallId: 'c',
      name: text,
      input: { command: text, [text]: text },
      call: { is: 'command', command: '/command' },
      startsAgent: true,
    },
    { type: 'agent.text', agentMessageId: 'b', block: 0, text, parentToolCallId: 'c' },
    { type: 'tool.result', toolCallId: 'c', isError: true, text },
    {
      type: 'interaction.requested',
      interactionId,
      turnId: null,
      processId: 'p',
      ask: {
        kind: 'question',
        agentRequestId: 'r',
        toolName: text,
        title: text,
        input: {},
        questions: [{ question: text, options: [{ label: text, description: text }], multiSelect: false }],
      },
    },
    {
      type: 'interaction.decided',
      interactionId,
      outcome: 'answered',
      decision: { type: 'answer', answers: [{ selected: [text], other: text }] },
      by,
    },
    { type: 'interaction.resolved', interactionId, outcome: 'answered', by, reason: text, delivered: true },
    { type: 'agent.notice', level: 'error', code: 'x', text },
    { type: 'session.failed', reason: text, stderr: [text] },
    { type: 'turn.ended', turnId: 't', outcome: 'failed', error: text },
  ];
  const session = {
    id: SessionId.parse('ses_1'),
    title: text,
    agent: text,
    cwd: text,
    model: text,
    status: 'idle',
  };
  return {
    session: session as unknown as Session,
    events: told.map((event, index) => ({ ...event, seq: index + 1, at })),
  };
}

const exported = (text: string, format: (typeof exportFormats)[number]): string => {
  const { session, events } = sessionSaying(text);
  return exportSession(session, events, { format, at });
};

const hostile = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '</pre></details></style><svg onload=alert(1)>',
  '"><iframe src="javascript:alert(1)">',
  "' onmouseover='alert(1)",
  '[x](javascript:alert(1)) [y](JaVaScRiPt&colon;alert(1)) [z]( data:text/html,<script>alert(1)</script>)',
  '![p](https://evil.example/pixel.png) ![q][r]\n\n[r]: https://evil.example/pixel.png',
  '[a][b]\n\n[b]: javascript:alert(1)',
  '<https://evil.example/"onclick="alert(1)>',
  '```\nnever closed <b>',
  '`a` <b onclick=x> ``b` <i>',
  '> [a\n> b](javascript:alert(1)) <u>',
  '- - - [a](javascript:x)\n  <table>\n\n| a | b |\n|---|---|\n| <script> | ![x](http://e/x.png) |',
  '\u001b]0;title\u0007\u001b[31mred\u202Ereversed\u0000\u2066',
  '&lt;script&gt; &rlm; &#60;script&#62;',
  '<!--\n\n<?php ?> <![CDATA[ ]]>',
];
/** Texts in which such pieces follow each other in any way. */
const mixed = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...hostile,
        '\n',
        '\n\n',
        '> ',
        '- ',
        '`',
        '```',
        '    ',
        '|',
        '[',
        '](',
        ')',
        '<',
        '!',
        '\\',
        '&',
        '#',
        '*',
      ),
      fc.string({ maxLength: 6 }),
    ),
    { maxLength: 14 },
  )
  .map((parts) => parts.join(''));

describe('an exported page', () => {
  it('[SEC16] [UI12] has no element and no attribute but its own, whatever was said', () => {
    const look = (text: string): void => {
      const page = exported(text, 'html');
      for (const [, closing, tag = '', attributes = ''] of page
        .replace(/<!doctype html>|<style>[\s\S]*?<\/style>/g, '')
        .matchAll(/<(\/?)([^\s>]*)([^>]*)>?/g)) {
        expect(ownTags, `<${closing}${tag}`).toContain(tag);
        expect(
          attributes.replaceAll(/ ([a-z-]+)="([^"<>]*)"/g, (_, name: string) =>
            ownAttributes.includes(name) ? '' : name,
          ),
        ).toBe('');
      }
      for (const [, href = ''] of page.matchAll(/href="([^"]*)"/g)) expect(href).toMatch(/^(https?|mailto):/);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be left
      expect(page).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    };
    for (const text of hostile) look(text);
    fc.assert(fc.property(mixed, look), { numRuns: times(60) });
  });

  it('[SEC16] forbids itself to run, fetch or send anything', () => {
    const page = exported('hello', 'html');
    const [, policy = ''] = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(page) ?? [];
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; base-uri 'none'; form-action 'none'$/,
    );
    expect(page.indexOf('Content-Security-Policy')).toBeLessThan(page.indexOf('<style>'));
  });
});

describe('exported markdown', () => {
  it('[SEC16] [UI12] makes no HTML and fetches no picture in a program that shows it, whatever was said', () => {
    const look = (text: string): void => {
      for (const token of allTokens(new Lexer({ gfm: true }).lex(exported(text, 'markdown')))) {
        expect(token.type, token.raw).not.toBe('html');
        expect(token.type, token.raw).not.toBe('image');
        if (token.type === 'link') expect(safeLink(String(token.href)), token.raw).toBeDefined();
      }
    };
    for (const text of hostile) look(text);
    fc.assert(fc.property(mixed, look), { numRuns: times(60) });
  });

  it('[UI12] what an agent wrote as markdown is still that', () => {
    const text =
      '# Plan\n\nRun **all** `npm test`, see [docs](https://example.org/a_b).\n\n- one\n- two\n\n```sh\nls <dir>\n```\n\n| a | b |\n|---|---|\n| 1 | `<x>` |';
    const document = exported(text, 'markdown');
    for (const part of [
      '# Plan',
      'Run **all** `npm test`, see [docs](https://example.org/a_b).',
      '- one\n- two',
      'ls <dir>',
      '| 1 | `<x>` |',
    ])
      expect(document).toContain(part);
  });
});

describe('an export', () => {
  it('[SEC16] says what it holds and what not, and how each ask ended', () => {
    for (const format of ['html', 'markdown'] as const) {
      const document = exported('hello', format);
      expect(document).toContain('Not in it are the variables');
      expect(document).toContain('Answered on hello');
    }
    const { session, events } = sessionSaying('<b>');
    const document = JSON.parse(exported('<b>', 'json'));
    expect(document).toEqual({ beckonExport: 1, exportedAt: at, session, events });
  });

  it('[SEC16] what a tool does not want shown when it is over is not told', () => {
    const { session } = sessionSaying('x');
    const interactionId = InteractionId.parse('int_2');
    const by = { kind: 'person' } as const;
    const form: Form = {
      message: 'Sign in',
      presentation: 'tool',
      fields: [{ id: 'password', type: 'text', label: 'Password', required: true }],
      completedView: { showInputs: false },
    };
    const told = (completedView: object): string => {
      const ask = {
        kind: 'form',
        agentRequestId: 'r',
        toolName: 't',
        title: 'Sign in',
        input: {},
        form: { ...form, completedView },
      } as const;
      const decision = { type: 'submit', values: { password: 'correct horse' } } as const;
      const news: NewEvent[] = [
        { type: 'interaction.requested', interactionId, turnId: null, processId: 'p', ask },
        { type: 'interaction.decided', interactionId, outcome: 'submitted', decision, by },
        { type: 'interaction.resolved', interactionId, outcome: 'submitted', by, delivered: true },
      ];
      const events = news.map((event, index) => ({ ...event, seq: index + 1, at }));
      return exportSession(session, events, { format: 'html', at });
    };
    expect(told({ showInputs: false })).not.toContain('correct horse');
    expect(told({ summary: 'Signed in' })).not.toContain('correct horse');
    expect(told({ showInputs: true })).toContain('correct horse');
  });

  it('[UI12] its file has a name that every system takes', () => {
    const name = (title: string) => exportName({ title, id: SessionId.parse('ses_1') }, 'markdown');
    expect(name('Fix: the "login" / Straße')).toBe('fix-the-login-straße.md');
    expect(name('../../etc/passwd')).toBe('etc-passwd.md');
    expect(name('\u0000 ...')).toBe('ses_1.md');
  });
});

const ownTags = [
  ...[
    '!doctype',
    'html',
    'head',
    'meta',
    'title',
    'body',
    'header',
    'main',
    'footer',
    'section',
    'div',
    'p',
    'span',
    'dl',
    'dt',
    'dd',
  ],
  ...[
    'h1',
    'h2',
    'h3',
    'h4',
    'h5',
    'h6',
    'time',
    'details',
    'summary',
    'pre',
    'code',
    'b',
    'strong',
    'em',
    'del',
    'br',
    'hr',
    'a',
  ],
  ...['ul', 'ol', 'li', 'blockquote', 'table', 'tr', 'th', 'td'],
];
const ownAttributes = [
  ...[
    'lang',
    'charset',
    'http-equiv',
    'content',
    'name',
    'class',
    'datetime',
    'href',
    'rel',
    'title',
    'start',
    'html',
  ],
];

function allTokens(tokens: readonly Token[]): Token[] {
  return tokens.flatMap((token) => {
    const inside =
      token.type === 'list'
        ? (token.items as Token[])
        : token.type === 'table'
          ? ([...token.header, ...token.rows.flat()] as { tokens: Token[] }[]).flatMap(
              ({ tokens: cell }) => cell,
            )
          : 'tokens' in token
            ? (token.tokens ?? [])
            : [];
    return [token, ...allTokens(inside)];
  });
}

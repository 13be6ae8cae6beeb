import { act, render, screen } from '@testing-library/react';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { safeLink } from '../../src/model/safe-link.ts';
import { CodeLines } from '../../src/web/markdown/code-lines.tsx';
import { complete } from '../../src/web/markdown/complete.logic.ts';
import { languageNamed, languageOfFile } from '../../src/web/markdown/highlight/language.logic.ts';
import { Markdown } from '../../src/web/markdown/markdown.tsx';
import { MarkdownReader, readMarkdown } from '../../src/web/markdown/read-markdown.logic.ts';
import { TooltipProvider } from '../../src/web/ui/tooltip.tsx';
import { processorTime } from '../support/processor-time.ts';

const sample = [
  '# Title',
  '',
  'Some **bold** and *soft* words with `code` and a [link](https://example.com/a).',
  '',
  '- one',
  '- two',
  '  - inner',
  '',
  '| a | b |',
  '|---|--:|',
  '| 1 | 2 |',
  '',
  '```ts',
  'const a = 1;',
  '',
  'const b = 2;',
  '```',
  '',
  '> quoted',
  '',
  'The end.',
].join('\n');

const raws = (blocks: readonly { readonly raw: string }[]): string[] => blocks.map(({ raw }) => raw);

describe('markdown that streams', () => {
  it('[UI3] is in the end what it would have been in one piece, wherever the pieces are cut', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(sample.length), { maxLength: 12 }), (cuts) => {
        const reader = new MarkdownReader();
        for (const cut of cuts.sort((a, b) => a - b)) reader.read(sample.slice(0, cut), true);
        expect(raws(reader.read(sample, false))).toEqual(raws(readMarkdown(sample)));
      }),
    );
  });

  it('[UI9] leaves finished blocks as they are, so that only the last one is drawn anew', () => {
    const reader = new MarkdownReader();
    const before = reader.read('First paragraph.\n\nSecond para', true);
    const after = reader.read('First paragraph.\n\nSecond paragraph goes on', true);
    expect(after[0]).toBe(before[0]);
    expect(after.at(-1)).not.toBe(before.at(-1));
    const ended = reader.read('First paragraph.\n\nSecond paragraph goes on', false);
    expect(ended).toHaveLength(after.length);
    expect(ended.every((block, at) => block === after[at])).toBe(true);
  });

  it('reads only what is new: a text of ten thousand blocks is not read again for each word', () => {
    const reader = new MarkdownReader();
    let text = '';
    const timeOf = (from: number, to: number): number =>
      processorTime(() => {
        for (let n = from; n < to; n += 1) {
          text += `Paragraph **${n}** with words.\n\n`;
          reader.read(text, true);
        }
      });
    timeOf(0, 100);
    const early = timeOf(100, 300);
    timeOf(300, 1500);
    expect(timeOf(1500, 1700)).toBeLessThan(early * 12 + 100);
  });

  it.each([
    ['some **bo', 'some **bo**'],
    ['some **bold*', 'some **bold**'],
    ['a *soft wor', 'a *soft wor*'],
    ['run `npm te', 'run `npm te`'],
    ['see [the do', 'see the do'],
    ['see [the docs](https://exa', 'see the docs'],
    ['a picture ![alt te', 'a picture'],
    ['Text\n-', 'Text'],
    ['Text\n==', 'Text'],
    ['Items:\n\n- ', 'Items:\n\n'],
    ['Table:\n\n| a | b |', 'Table:\n\n'],
    ['snake_case_name', 'snake_case_name'],
    ['2 * 3 * 4', '2 * 3 * 4'],
    ['```ts\nconst a = **', '```ts\nconst a = **'],
    ['done **bold** here', 'done **bold** here'],
  ])('closes what is open: %j', (written, whole) => {
    expect(complete(written)).toBe(whole);
  });
});

describe('markdown of others', () => {
  it('[UI12] shows HTML as text and makes nothing of it', () => {
    const { container } = render(
      <Markdown
        text={'Before <script>alert(1)</script>\n\n<img src=x onerror=alert(2)>\n\n<b>not bold</b>'}
      />,
    );
    expect(container.textContent).toContain('<script>alert(1)</script>');
    expect(container.textContent).toContain('<img src=x onerror=alert(2)>');
    expect(container.querySelector('script, img, b')).toBeNull();
  });

  it('[UI12] loads no picture: it is a link that names its host', () => {
    const { container } = render(<Markdown text="![secret](https://tracker.example/p.png)" />);
    expect(container.querySelector('img')).toBeNull();
    expect(screen.getByRole('link').textContent).toBe('secret · tracker.example');
  });

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'java\nscript:alert(1)',
    '\u0001javascript:alert(1)',
    'vbscript:x',
    'data:text/html,x',
    'file:///etc/passwd',
    './relative.ts',
    '#here',
  ])('[UI12] does not follow %j', (href) => {
    expect(safeLink(href)).toBeUndefined();
  });

  it('[UI12] follows addresses of pages and of mail, in a window that knows nothing of this one', () => {
    expect(safeLink('https://example.com/a?b=1')).toMatchObject({ host: 'example.com' });
    expect(safeLink(' https://example.com/a b.html ')?.href).toBe('https://example.com/a%20b.html');
    expect(safeLink('mailto:a@example.com')).toMatchObject({ href: 'mailto:a@example.com' });
    render(<Markdown text="[words](https://example.com/)" />);
    const link = screen.getByRole('link', { name: 'words' });
    expect([link.getAttribute('target'), link.getAttribute('rel')]).toEqual([
      '_blank',
      'noopener noreferrer nofollow',
    ]);
  });

  it('[UI12] stands what is nested without end, and shows the rest as it should be', () => {
    const { container } = render(
      <Markdown text={`**fine**\n\n${'>'.repeat(20_000)} deep\n\n${'['.repeat(20_000)}\n\n*also fine*`} />,
    );
    expect(container.querySelector('strong')?.textContent).toBe('fine');
    expect(container.querySelector('em')?.textContent).toBe('also fine');
  });

  it('[UI12] shows character references as what they stand for, but not those that turn text around', () => {
    const { container } = render(<Markdown text={'a &lt;b&gt; &amp;lt; &#x41; &#x202e;x `&lt;`'} />);
    expect(container.textContent).toBe('a <b> &lt; A x &lt;');
  });

  it('has tables, lists with tasks, headings and code', () => {
    const { container } = render(
      <TooltipProvider>
        <Markdown text={`${sample}\n\n- [x] done\n- [ ] open`} />
      </TooltipProvider>,
    );
    expect(screen.getByRole('columnheader', { name: 'a' })).toBeTruthy();
    expect(screen.getByRole('heading', { name: 'Title' })).toBeTruthy();
    expect(container.querySelector('pre code')?.textContent).toBe('const a = 1;\n\nconst b = 2;');
    expect(container.querySelectorAll('li li')).toHaveLength(1);
  });
});

describe('the language of code', () => {
  it('is known by its names and by a file’s extension', () => {
    expect(languageNamed('TS')).toBe('typescript');
    expect(languageNamed('c++')).toBe('c');
    expect(languageNamed('constructor')).toBeUndefined();
    expect(languageOfFile('/a/b.test.tsx')).toBe('tsx');
    expect(languageOfFile('/a/Dockerfile')).toBe('docker');
    expect(languageOfFile('/a/LICENSE')).toBeUndefined();
  });
});

describe('marks and colours', () => {
  it('every named character is the character, and what is no name stays', () => {
    render(<Markdown text="caf&eacute; &ge; &check; &nosuchname; &lt;b&gt; &rlo;" />);
    expect(screen.getByText('café ≥ ✓ &nosuchname; <b> &rlo;')).toBeDefined();
  });

  it('code that changes while it is being taken apart is coloured in the end', async () => {
    const asked: { id: number; code: string }[] = [];
    let reply: (data: object) => void = () => {};
    vi.stubGlobal(
      'Worker',
      class {
        addEventListener(type: string, listener: (event: { data: object }) => void): void {
          if (type === 'message') reply = (data) => listener({ data });
        }
        postMessage(request: { id: number; code: string }): void {
          asked.push(request);
        }
      },
    );
    const answer = (): Promise<void> =>
      act(async () => {
        const { id, code } = asked.shift() ?? { id: 0, code: '' };
        reply({ id, lines: [[['keyword', code]]] });
      });
    const { container, rerender } = render(<CodeLines code="let a" language="typescript" />);
    rerender(<CodeLines code="let b" language="typescript" />);
    await answer();
    await answer();
    expect(container.querySelector('.code-keyword')?.textContent).toBe('let b');
    vi.unstubAllGlobals();
  });
});

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { personsGit } from '../runner/workspace/repositories.ts';
import { startBeckon } from '../support/beckon-process.ts';
import { eventually } from '../support/eventually.ts';
import { endWatches } from '../support/watch.ts';
import { withBrowser } from '../web/browser/browser.ts';
import { claudePrograms } from './claude-program.ts';
import { type ModelRequest, text, toolUse } from './model-stand-in.ts';
import { openWorkplace, type Workplace } from './workplace.ts';

const { come } = withBrowser();

describe.each(claudePrograms())('what Claude Code $version does in two worktrees', (program) => {
  let place: Workplace;
  afterEach(async () => {
    endWatches();
    await place.close();
  });

  it('[CHG51] [CHG36] [CHG33] [CHG54] [CHG40] is reviewed, committed, merged and undone in the browser', async () => {
    place = await openWorkplace();
    const { cwd: main, env, model } = place;
    const git = (...args: string[]): string => personsGit(main, args);
    git('init', '-q', '-b', 'main');
    git('config', 'user.name', 'Grace');
    git('config', 'user.email', 'grace@example.org');
    const lines = ['one', 'two', 'three', 'four', 'five', ''].join('\n');
    writeFileSync(join(main, 'list.txt'), lines);
    git('add', '.');
    git('commit', '-q', '-m', 'A list');
    const isReview = ({ prompt }: ModelRequest): boolean => prompt?.includes('3 comments') === true;
    const edit = (command: string) => [toolUse('Bash', { command }, [text('Changed.')])];
    model
      .on('first', edit("sed -i -e 's/two/TWO/' -e 's/four/FOUR/' list.txt && echo six >> list.txt"))
      .on('second', edit("sed -i 's/two/zwei/' list.txt"))
      .on(isReview, [text('I see.')]);
    const beckon = await startBeckon({ args: ['--claude', program.path] });
    const start = async (title: string): Promise<{ id: string; cwd: string; page: Page }> => {
      const { status, body } = await beckon.api('POST', '/api/sessions', {
        ...{ agent: 'claude', cwd: main, env, title, prompt: title, worktree: {} },
      });
      expect(status, JSON.stringify(body)).toBe(201);
      const { page } = await come(beckon, `/s/${body.session.id}`);
      await page
        .getByRole('main')
        .locator('[data-ask]')
        .getByRole('button', { name: 'Allow', exact: true })
        .click();
      await page.getByRole('button', { name: /^1 file changed/ }).waitFor();
      return { id: body.session.id, cwd: body.session.cwd, page };
    };
    const read = (folder: string): string => readFileSync(join(folder, 'list.txt'), 'utf8');

    const one = await start('first');
    const two = await start('second');
    expect(read(one.cwd)).toBe('one\nTWO\nthree\nFOUR\nfive\nsix\n');
    expect(read(two.cwd)).toBe('one\nzwei\nthree\nfour\nfive\n');
    expect(read(main)).toBe(lines);

    const { page } = one;
    await page.goto(`${beckon.url}/s/${one.id}/changes?since=start`);
    const file = page.getByRole('region', { name: 'list.txt', exact: true });
    for (const [line, words] of [
      [2, 'Why in capitals?'],
      [4, 'Here, too.'],
      [6, 'Is it complete?'],
    ] as const) {
      await file.getByRole('button', { name: `Line ${line}`, exact: true }).click();
      await page.getByRole('textbox', { name: `Comment on list.txt:${line}`, exact: true }).fill(words);
      await page.keyboard.press('Control+Enter');
      await page.getByRole('paragraph').filter({ hasText: words }).waitFor();
    }
    await page.getByRole('button', { name: '3 comments', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send 3 comments' }).click();
    const heard = await eventually('the model hears of it', () => model.requests.find(isReview));
    for (const part of [
      'list.txt:2 (after)\n```\nTWO\n```\nWhy in capitals?',
      'FOUR',
      'six\n```\nIs it complete?',
    ])
      expect(heard.prompt).toContain(part);
    await eventually('it has answered', async () => {
      const { body } = await beckon.api('GET', `/api/sessions/${one.id}`);
      return body.session.status === 'idle';
    });

    await page.goto(`${beckon.url}/s/${one.id}`);
    await page.getByRole('main').getByRole('button', { name: 'Actions for first' }).click();
    await page.getByRole('menuitem', { name: 'Commit, land, push…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Commit…' }).click();
    await dialog.getByRole('textbox', { name: 'Message' }).fill('Change the list');
    await dialog.getByRole('button', { name: 'Commit 1 file', exact: true }).click();
    await dialog.getByRole('button', { name: 'Merge into main' }).click();
    await dialog.getByText(/^Landed on main as/).waitFor();
    expect(read(main)).toBe(read(one.cwd));
    expect(git('status', '--porcelain')).toBe('');
    expect(git('log', '--format=%an: %s', '-2', '--no-merges').trim()).toBe(
      'Grace: Change the list\nAda: A list',
    );

    await two.page.getByRole('button', { name: 'What can be done with this turn' }).last().click();
    await two.page.getByRole('menuitem', { name: 'Go back to before this turn…' }).click();
    await two.page.getByRole('dialog').getByRole('button', { name: 'Put back' }).click();
    await two.page.getByText('1 file was put back to before a turn.').waitFor();
    expect(read(two.cwd)).toBe(lines);
    expect(read(one.cwd)).toContain('TWO');
  });
});

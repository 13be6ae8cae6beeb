import { existsSync } from 'node:fs';
import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import { violationsOf } from './accessibility.ts';
import { withBrowser } from './browser.ts';
import { startSessions } from './demo-sessions.ts';

const { come } = withBrowser();

async function ask(prompt: string, cwd: string) {
  const beckon = await startBeckon();
  const [id = ''] = await startSessions(beckon, [{ title: 'Asking', prompt, status: 'waiting' }], cwd);
  return { id, ...(await come(beckon, `/s/${id}`)) };
}

describe('what a person decides on in a browser', () => {
  it('[UI12] letters that only look like others, and fillers, are marked wherever the ask stands', async () => {
    const { id, page, problems } = await ask(
      'run curl https://g\u043e\u043egle.com/\u3164x',
      await temporaryDirectory(),
    );
    for (const path of [`/s/${id}`, '/', '/inbox']) {
      await page.goto(new URL(path, page.url()).href);
      const marked = page
        .getByRole('main')
        .getByText('curl https://g\\u{43e}\\u{43e}gle.com/\\u{3164}x')
        .first();
      await marked.waitFor();
      expect(await page.locator('[data-ask]').getByText('g\u043e\u043egle').count()).toBe(0);
    }
    expect(problems).toEqual([]);
  });

  it('[GRANT2] [GRANT6] [GRANT9] where a link leads is said, and what a pattern would let through, with a warning', async () => {
    const folder = await realpath(await temporaryDirectory());
    const repo = join(folder, 'repo');
    await mkdir(join(repo, 'docs/.git'), { recursive: true });
    await symlink(join(repo, 'docs'), join(repo, 'link'));
    for (const name of ['a.md', 'b.md', 'package.json']) await writeFile(join(repo, 'docs', name), '');
    const { page, problems } = await ask('write link/notes.md', repo);
    const card = page.getByRole('main').locator('[data-ask]');
    await card.getByText('A link leads from there to').waitFor();
    await card.getByText(join(repo, 'docs/notes.md')).first().waitFor();

    await card.getByRole('button', { name: 'Always…' }).click();
    const field = card.getByRole('textbox', { name: 'Write may be used for' });
    await expect.poll(() => field.inputValue()).toBe(join(repo, 'docs/notes.md'));
    await card.getByRole('button', { name: join(repo, 'docs/*') }).click();
    const preview = card.getByRole('region', { name: 'What it allows' });
    await preview.getByText('It would also allow 2 files that are there, and new ones:').waitFor();
    await preview.getByText(join(repo, 'docs/a.md')).waitFor();
    await preview.getByText('It would still ask for:').waitFor();
    await preview.getByText(join(repo, 'docs/package.json')).waitFor();

    await field.fill('/*');
    await preview.getByText('This names no narrower directory than /').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await card.getByRole('button', { name: join(repo, 'docs/*') }).click();
    // What is known of it moves the button, and a press on one that moves is dropped.
    await preview.getByText(join(repo, 'docs/package.json')).waitFor();
    await card
      .getByRole('button', { name: 'Allow for session', exact: true })
      .or(card.getByRole('button', { name: 'Always allow' }))
      .click();
    await page.getByText('May I change this file?').waitFor();
    expect(existsSync(join(repo, 'docs/notes.md'))).toBe(true);
    expect(problems).toEqual([]);
  });
});

import { existsSync } from 'node:fs';
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import { violationsOf } from './accessibility.ts';
import { withBrowser } from './browser.ts';
import { startSessions } from './demo-sessions.ts';

const { come } = withBrowser();

describe('rules in a browser', () => {
  it('[POL9] [POL5] the file of a repository is shown whole in its session, trusted by two presses, and then holds', async () => {
    const cwd = await realpath(await temporaryDirectory());
    await mkdir(join(cwd, '.beckon'));
    const rules = [
      { effect: 'allow', tool: 'Bash', pattern: 'touch made' },
      { effect: 'deny', tool: 'Bash', pattern: 'git p\u0443sh', reason: 'CI does.' },
    ];
    await writeFile(join(cwd, '.beckon/policy.json'), JSON.stringify({ version: 1, rules }, null, 2));
    const beckon = await startBeckon();
    const [id = ''] = await startSessions(
      beckon,
      [{ title: 'Asking', prompt: 'run touch other', status: 'waiting' }],
      cwd,
    );
    const { page, problems } = await come(beckon, `/s/${id}`);
    const banner = page.getByText('brings rules along that nobody has trusted');
    await banner.waitFor();
    await page.getByRole('button', { name: 'Look at them' }).click();
    const dialog = page.getByRole('dialog', { name: 'Rules of this directory' });
    await dialog.getByText('"pattern": "touch made"').waitFor();
    // A letter that only looks like another is marked wherever the rule stands.
    await expect.poll(() => dialog.getByText('git p\\u{443}sh').count()).toBe(2);
    await dialog.getByText('What it allows does not').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Trust this content' }).click();
    await dialog.getByRole('button', { name: 'Press again: I have read it' }).click();
    await dialog.getByText('All of it holds.').waitFor();
    await page.keyboard.press('Escape');
    await banner.waitFor({ state: 'detached' });
    const [other = ''] = await startSessions(
      beckon,
      [{ title: 'Made', prompt: 'run touch made', status: 'idle' }],
      cwd,
    );
    expect(existsSync(join(cwd, 'made'))).toBe(true);
    await page.goto(new URL(`/s/${other}`, page.url()).href);
    await page.getByText('by a rule').first().waitFor();
    await beckon.api('POST', '/api/rules', {
      effect: 'ask',
      tool: 'Bash',
      pattern: 'rm',
      reason: 'Look twice.',
    });
    const asking = { title: 'Removing', prompt: 'run rm -r .beckon', status: 'waiting' } as const;
    const [third = ''] = await startSessions(beckon, [asking], cwd);
    for (const path of [`/s/${third}`, '/']) {
      await page.goto(new URL(path, page.url()).href);
      const card = page.getByRole('main').locator('[data-ask]').filter({ hasText: 'rm -r .beckon' });
      await card.getByText('A rule has you asked. Look twice.').waitFor();
      await card.getByText('It may change the rules that this directory brings along.').waitFor();
    }
    expect(problems).toEqual([]);
  });

  it('[POL9] [POL7] a policy is written in rows or as JSON, tried, and put into effect; a single rule holds at once', async () => {
    const cwd = await realpath(await temporaryDirectory());
    const beckon = await startBeckon();
    const [id = ''] = await startSessions(
      beckon,
      [{ title: 'Asking', prompt: 'run touch no', status: 'waiting' }],
      cwd,
    );
    const { pending } = (await beckon.api('GET', '/api/pending')).body;
    await beckon.api('POST', `/api/sessions/${id}/deny`, { requestId: pending[0].requestId });
    const { page, problems } = await come(beckon, '/settings');
    const section = page.getByRole('region', { name: 'Rules', exact: true });

    await section.getByRole('textbox', { name: 'Tool', exact: true }).fill('Bash');
    await section.getByRole('textbox', { name: 'What of it' }).fill('git push');
    await section.getByRole('textbox', { name: 'Reason', exact: true }).fill('CI does.');
    await section.getByRole('button', { name: 'Add rule' }).click();
    await section.getByRole('button', { name: 'Remove: Bash git push' }).waitFor();

    await section.getByRole('button', { name: 'Add a row' }).click();
    await section.getByRole('combobox', { name: 'Effect, rule 1' }).selectOption('allow');
    await section.getByRole('textbox', { name: 'Tool, rule 1' }).fill('Bash');
    await section.getByRole('button', { name: 'Try it on the last 30 days' }).click();
    await section.getByRole('listitem').getByText('"policy.rules.0.pattern" is missing').waitFor();
    await section.getByRole('textbox', { name: 'What of it, rule 1' }).fill('touch *');
    await section.getByRole('button', { name: 'Try it on the last 30 days' }).click();
    const result = section.getByRole('region', { name: 'What it would have done' });
    await result.getByText('Of one ask in 30 days, 0 would have come to you instead of 1.').waitFor();
    await result.getByText('You denied this once, rule 1 would allow it:').waitFor();
    expect(await violationsOf(page)).toEqual([]);

    await section.getByRole('button', { name: 'Write it as JSON' }).click();
    const json = section.getByRole('textbox', { name: 'The policy as JSON' });
    await json.fill('{"version":1,');
    await section.getByRole('button', { name: 'Put into effect' }).click();
    await section.getByRole('button', { name: 'Not tried. Press again to put it into effect' }).click();
    await section.getByText('This cannot be read:').waitFor();
    await json.fill(
      JSON.stringify({ version: 1, rules: [{ effect: 'allow', tool: 'Bash', pattern: 'touch yes-*' }] }),
    );
    await section.getByRole('button', { name: 'Write it in rows' }).click();
    await expect
      .poll(() => section.getByRole('textbox', { name: 'What of it, rule 1' }).inputValue())
      .toBe('touch yes-*');
    await section.getByRole('button', { name: 'Put into effect' }).click();
    await section.getByRole('button', { name: 'Not tried. Press again to put it into effect' }).click();
    await page.getByText('The policy is in effect.').first().waitFor();
    await startSessions(beckon, [{ title: 'Yes', prompt: 'run touch yes-1', status: 'idle' }], cwd);
    expect(existsSync(join(cwd, 'yes-1'))).toBe(true);
    // The rule that made no sense.
    expect(problems).toEqual([expect.stringContaining('400')]);
  });
});

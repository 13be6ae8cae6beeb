import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { personsGit } from '../../runner/workspace/repositories.ts';
import { type Beckon, startBeckon, temporaryDirectory } from '../../support/beckon-process.ts';
import { eventually } from '../../support/eventually.ts';
import { violationsOf } from './accessibility.ts';
import { desktop, phone, withBrowser } from './browser.ts';

const { come } = withBrowser();

const panelOf = (page: Page): Locator => page.getByRole('region', { name: /^(Changes|Änderungen)$/ });
const linesOf = (page: Page): Locator =>
  page.getByRole('region', { name: /^(Changed lines|Geänderte Zeilen)$/ });
const filesOf = (page: Page): Locator =>
  page.getByRole('navigation', { name: /^(Changed files|Geänderte Dateien)$/ });

/** A repository of somebody, with a first commit, and a session of an agent in it that does what it is told. */
async function room(files: Readonly<Record<string, string>>): Promise<Room> {
  const tree = await temporaryDirectory();
  const write = (path: string, content: string | Uint8Array): void =>
    writeFileSync(join(tree, path), content);
  personsGit(tree, ['init', '-q', '-b', 'main']);
  for (const [path, content] of Object.entries(files)) write(path, content);
  personsGit(tree, ['add', '.']);
  personsGit(tree, ['commit', '-q', '-m', 'first']);
  const beckon = await startBeckon();
  const { body } = await beckon.api('POST', '/api/sessions', { agent: 'demo', cwd: tree, title: 'Reworked' });
  const { id } = body.session;
  await beckon.api('POST', `/api/sessions/${id}/trust`, { minutes: 60 });
  const turn = async (command: string): Promise<void> => {
    await beckon.api('POST', `/api/sessions/${id}/message`, { message: `run ${command}` });
    await eventually('the turn is recorded', async () => {
      const { body: page } = await beckon.api('GET', `/api/sessions/${id}/events?limit=1000`);
      const of = (type: string) => page.events.filter((event: { type: string }) => event.type === type);
      const ended = of('turn.ended').at(-1)?.turnId;
      return (
        ended !== undefined &&
        of('turn.ended').length === of('message.taken').length &&
        of('files.recorded').some(
          ({ turnId, when }: { turnId: string; when: string }) => turnId === ended && when === 'end',
        )
      );
    });
  };
  return { beckon, id, write, turn };
}

interface Room {
  readonly beckon: Beckon;
  readonly id: string;
  write(path: string, content: string | Uint8Array): void;
  /** The agent runs a command, and is done. */
  turn(command: string): Promise<void>;
}

const numbered = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}\n`).join('');

describe('changes beside the conversation', () => {
  it('[CHG25] show what the agent did to the files, live, beside the conversation, and follow it', async () => {
    const { beckon, id, turn } = await room({ 'story.txt': numbered(1, 40), 'kept.ts': 'const a = 1;\n' });
    const { page, problems } = await come(beckon, `/s/${id}`);
    await turn('sed -i s/20/twenty/ story.txt');
    const button = page.getByRole('button', { name: /^Changes/ });
    await expect.poll(() => button.textContent()).toBe('Changes+1−1');
    await button.click();
    const panel = panelOf(page);
    await panel.getByText('1 file', { exact: true }).waitFor();
    await linesOf(page).getByText('line twenty', { exact: true }).waitFor();
    expect(page.url()).toMatch(/\/changes$/);
    // The conversation is still there, and what the agent does next comes by itself.
    await page.getByRole('region', { name: 'Conversation' }).waitFor();
    await turn('printf "const a = 2;\\n" > kept.ts');
    await linesOf(page).getByText('const a = 2;').waitFor();
    await panel.getByText('2 files', { exact: true }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(problems).toEqual([]);
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    expect(page.url()).not.toMatch(/changes/);
  });
});

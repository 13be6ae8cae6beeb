import type { Locator, Page } from 'playwright-core';

/** Resolves once keys go to it: what is typed before that is lost, or is taken for a key of the page. */
export const focused = (element: Locator): Promise<void> =>
  element.and(element.page().locator(':focus')).waitFor();

/** Keys that mean something only together, as fast as a person presses them: the page does not wait long for the second. */
export async function pressInARow(page: Page, keys: string): Promise<void> {
  await Promise.all(keys.split(' ').map((key) => page.keyboard.press(key)));
}

import { act, fireEvent, screen } from '@testing-library/react';
import { createRef } from 'react';
import { describe, expect, it } from 'vitest';
import type { ChangedFile } from '../../src/protocol/changes.ts';
import { DiffList, type DiffListHandle, type ReviewSlots } from '../../src/web/changes/diff-list.tsx';
import { type LineRange, lineKey } from '../../src/web/changes/diff-rows.logic.ts';
import { PatchStore } from '../../src/web/changes/patch-store.ts';
import { useFileFolds } from '../../src/web/changes/use-file-folds.ts';
import { TooltipProvider } from '../../src/web/ui/tooltip.tsx';
import { renderPage } from './support/render-page.tsx';

const file: ChangedFile = {
  path: 'src/a.ts',
  kind: 'modified',
  added: 2,
  removed: 1,
  isLink: false,
  content: 'c',
};
const text = '@@ -1,4 +1,5 @@\n one\n-two\n+zwei\n+drei\n three\n four\n';

function Shown(review: ReviewSlots) {
  const folds = useFileFolds();
  return (
    <TooltipProvider>
      <DiffList
        ref={createRef<DiffListHandle>()}
        files={[file]}
        outside={new Map()}
        points={{ before: '', after: '' }}
        sessionId="s1"
        store={store}
        folds={folds}
        layout="unified"
        onCurrent={() => {}}
        {...review}
      />
    </TooltipProvider>
  );
}

const store = new PatchStore(async () => ({ text, isCut: false, isBinary: false }));
store.compare('a', 'b', new Set([file.path]));

async function shown(review: ReviewSlots): Promise<void> {
  const { tell } = renderPage(undefined, <Shown {...review} />);
  await tell(() => {});
}

describe('lines that are picked', () => {
  async function picking() {
    const picked: [LineRange, string][] = [];
    await shown({ onPick: (range, quote) => picked.push([range, quote]) });
    const number = (name: string): HTMLElement => screen.getByRole('button', { name });
    const press = (name: string, more: object = {}): void => {
      act(() => void fireEvent.pointerDown(number(name), { button: 0, ...more }));
      act(() => void fireEvent.pointerUp(window));
    };
    return { picked, number, press };
  }
  const range = (side: 'before' | 'after', from: number, to: number): LineRange => ({
    path: file.path,
    side,
    from,
    to,
  });

  it('[CHG29] one by a press on its number, on the side it belongs to', async () => {
    const { picked, press } = await picking();
    press('Line 2 before');
    press('Line 3');
    expect(picked).toEqual([
      [range('before', 2, 2), 'two'],
      [range('after', 3, 3), 'drei'],
    ]);
  });

  it('[CHG29] several by a press with Shift, in either direction', async () => {
    const { picked, press } = await picking();
    press('Line 4');
    press('Line 2', { shiftKey: true });
    expect(picked.at(-1)).toEqual([range('after', 2, 4), 'zwei\ndrei\nthree']);
  });

  it('[CHG29] with the keys: arrows go from number to number, with Shift they take more, Enter picks', async () => {
    const { picked, number } = await picking();
    act(() => number('Line 2').focus());
    act(() => void fireEvent.keyDown(number('Line 2'), { key: 'ArrowDown' }));
    expect(document.activeElement).toBe(number('Line 3'));
    act(() => void fireEvent.keyDown(number('Line 3'), { key: 'ArrowDown', shiftKey: true }));
    expect(document.activeElement).toBe(number('Line 4'));
    // Enter comes as a click without a pointer.
    act(() => void fireEvent.click(number('Line 4'), { detail: 0 }));
    expect(picked).toEqual([[range('after', 3, 4), 'drei\nthree']]);
  });

  it('[CHG29] by nobody where nothing would be done with them', async () => {
    await shown({});
    expect(screen.queryByRole('button', { name: /^Line/ })).toBeNull();
    expect(screen.getByText('zwei')).toBeTruthy();
  });

  it('[CHG29] have under them what belongs to them, and files their mark', async () => {
    await shown({
      annotations: new Map([[lineKey(file.path, 'after', 3), <p key="note">Why three?</p>]]),
      fileMark: ({ path }) => <span>mark of {path}</span>,
    });
    const note = screen.getByText('Why three?');
    expect(note.compareDocumentPosition(screen.getByText('drei'))).toBe(Node.DOCUMENT_POSITION_PRECEDING);
    expect(note.compareDocumentPosition(screen.getByText('three'))).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
    expect(screen.getByText('mark of src/a.ts')).toBeTruthy();
  });
});

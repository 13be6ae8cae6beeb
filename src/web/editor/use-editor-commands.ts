import { useCallback } from 'react';
import type { EditorCommands } from '../../protocol/editor.ts';
import { useTransport } from '../data/room-context.tsx';
import { useList } from '../data/use-list.ts';

const none: EditorCommands = { command: null, diff: null };

/** The commands that open files on a machine; none where it cannot be asked. */
export function useEditorCommands(machine: string | undefined): EditorCommands {
  const transport = useTransport();
  const read = useCallback(
    async () => [await transport.editor(machine === undefined ? {} : { machine })],
    [transport, machine],
  );
  const [list] = useList(read);
  return (list.is === 'there' ? list.items[0] : undefined) ?? none;
}

import { Inbox, type LucideIcon, Radar, Settings, SquareKanban } from 'lucide-react';
import type { MessageKey } from '../i18n/i18n.ts';
import { routes } from '../routes.ts';
import type { KeyName } from '../ui/keys.ts';

export interface Place {
  readonly href: string;
  readonly label: MessageKey;
  readonly icon: LucideIcon;
  readonly shortcut?: KeyName;
}

/** Where one can go, in the order of the rail. */
export const places = {
  control: { href: routes.control, label: 'frame.control', icon: Radar, shortcut: 'everywhere.go-control' },
  board: { href: routes.board, label: 'frame.board', icon: SquareKanban, shortcut: 'everywhere.go-board' },
  inbox: { href: routes.inbox, label: 'frame.inbox', icon: Inbox, shortcut: 'everywhere.go-inbox' },
  settings: { href: routes.settings, label: 'frame.settings', icon: Settings },
} as const satisfies Record<string, Place>;

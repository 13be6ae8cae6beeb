import { changes } from './en/changes.ts';
import { deleteSession } from './en/delete-session.ts';
import { editPlace } from './en/edit-place.ts';
import { editor } from './en/editor.ts';
import { help } from './en/help.ts';
import { inbox } from './en/inbox.ts';
import { landing } from './en/landing.ts';
import { less } from './en/less.ts';
import { machines } from './en/machines.ts';
import { newSession } from './en/new-session.ts';
import { push } from './en/push.ts';
import { review } from './en/review.ts';
import { rules } from './en/rules.ts';
import { sessionPage } from './en/session-page.ts';
import { settings } from './en/settings.ts';
import { undo } from './en/undo.ts';
import { worktrees } from './en/worktrees.ts';

/** What is said by parts of the page that are not on the first screen. */
export const later = {
  ...changes,
  ...deleteSession,
  ...editPlace,
  ...editor,
  ...help,
  ...inbox,
  ...landing,
  ...less,
  ...machines,
  ...newSession,
  ...push,
  ...review,
  ...rules,
  ...sessionPage,
  ...settings,
  ...undo,
  ...worktrees,
};

import { board } from './de/board.ts';
import { changes } from './de/changes.ts';
import { composer } from './de/composer.ts';
import { control } from './de/control.ts';
import { conversation } from './de/conversation.ts';
import { deleteSession } from './de/delete-session.ts';
import { editPlace } from './de/edit-place.ts';
import { editor } from './de/editor.ts';
import { form } from './de/form.ts';
import { frame } from './de/frame.ts';
import { help } from './de/help.ts';
import { inbox } from './de/inbox.ts';
import { interaction } from './de/interaction.ts';
import { landing } from './de/landing.ts';
import { less } from './de/less.ts';
import { machines } from './de/machines.ts';
import { newSession } from './de/new-session.ts';
import { push } from './de/push.ts';
import { refusals } from './de/refusals.ts';
import { review } from './de/review.ts';
import { rules } from './de/rules.ts';
import { session } from './de/session.ts';
import { sessionLife } from './de/session-life.ts';
import { sessionPage } from './de/session-page.ts';
import { settings } from './de/settings.ts';
import { undo } from './de/undo.ts';
import { worktrees } from './de/worktrees.ts';
import type { Messages } from './messages.ts';

export { refusals };

export const de: Messages = {
  ...form,
  ...frame,
  ...control,
  ...session,
  ...sessionLife,
  ...sessionPage,
  ...composer,
  ...board,
  ...changes,
  ...conversation,
  ...interaction,
  ...inbox,
  ...help,
  ...newSession,
  ...review,
  ...rules,
  ...settings,
  ...worktrees,
  ...deleteSession,
  ...editPlace,
  ...editor,
  ...undo,
  ...landing,
  ...less,
  ...machines,
  ...push,
};

import { board } from './en/board.ts';
import { composer } from './en/composer.ts';
import { control } from './en/control.ts';
import { conversation } from './en/conversation.ts';
import { form } from './en/form.ts';
import { frame } from './en/frame.ts';
import { inbox } from './en/inbox.ts';
import { interaction } from './en/interaction.ts';
import { session } from './en/session.ts';
import { sessionLife } from './en/session-life.ts';
import { sessionPage } from './en/session-page.ts';
import { settings } from './en/settings.ts';

/** Every message of the page. A key is the area it belongs to, a dot, and what it says. */
export const en = {
  ...form,
  ...frame,
  ...control,
  ...session,
  ...sessionLife,
  ...sessionPage,
  ...composer,
  ...board,
  ...conversation,
  ...interaction,
  ...inbox,
  ...settings,
};

import { board } from './en/board.ts';
import { composer } from './en/composer.ts';
import { control } from './en/control.ts';
import { conversation } from './en/conversation.ts';
import { form } from './en/form.ts';
import { frame } from './en/frame.ts';
import { interaction } from './en/interaction.ts';
import { session } from './en/session.ts';
import { sessionLife } from './en/session-life.ts';
import type { later } from './en-later.ts';

/** What the first screen says. A key is the area it belongs to, a dot, and what it says. */
const first = {
  ...form,
  ...frame,
  ...control,
  ...session,
  ...sessionLife,
  ...composer,
  ...board,
  ...conversation,
  ...interaction,
};

/** Every message of the page; those of parts that are fetched later are put in with the first of them. */
export const en = { ...first } as typeof first & typeof later;

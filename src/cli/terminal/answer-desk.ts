import { BeckonError } from '../../client/beckon-error.ts';
import type { Transport } from '../../client/transport.ts';
import { shownDigest } from '../../model/shown-digest.ts';
import type { Interaction } from '../../protocol/interaction.ts';
import { isCutShort } from '../render/interaction-view.ts';
import { oneLine } from '../render/safe-text.ts';
import { type AskedInteraction, type Dialog, type DialogReply, dialogAbout } from './dialog.ts';

export interface AnswerDeskOptions {
  readonly transport: Transport;
  readonly session: string;
  /** Says something to the person, on lines of its own. */
  readonly say: (text: string) => void;
  readonly show: (interaction: AskedInteraction, isWhole: boolean) => void;
  /** False where nobody types: then it is only told how each can be answered. */
  readonly canAnswer: boolean;
  /** For so long an ask must have been shown before a line can be begun for it; nothing where a program answers. */
  readonly stillMs?: number;
  /** What a line would be for has changed. */
  readonly onChange?: () => void;
}

/** Takes a person through the open interactions of a session, one at a time, oldest first. */
export class AnswerDesk {
  readonly #options: AnswerDeskOptions;
  readonly #open = new Map<string, AskedInteraction>();
  readonly #shown = new Set<string>();
  readonly #told = new Set<string>();
  /** What was shown to its end. */
  readonly #whole = new Set<AskedInteraction>();
  readonly #answered = new Set<string>();
  #current: { readonly interaction: AskedInteraction; readonly dialog: Dialog } | undefined;
  #refused: { readonly interaction: AskedInteraction; readonly dialog: Dialog } | undefined;
  #isStarted = false;
  #settling: NodeJS.Timeout | undefined;

  constructor(options: AnswerDeskOptions) {
    this.#options = options;
  }

  /** Begins to ask; before, what is opened and closed is only kept in mind: it is history. */
  start(): void {
    this.#isStarted = true;
    this.#next();
  }

  open(interaction: AskedInteraction, isShown: boolean): void {
    if (isShown) this.#shown.add(interaction.interactionId);
    if (!this.#answered.has(interaction.interactionId))
      this.#open.set(interaction.interactionId, interaction);
    this.#next();
  }

  close(interactionId: string): void {
    this.#open.delete(interactionId);
    if (this.#current?.interaction.interactionId === interactionId) this.#leave();
    this.#next();
  }

  /** Nothing more is asked. */
  end(): void {
    this.#isStarted = false;
    this.#leave();
  }

  /** The interaction that is being asked about. */
  get asking(): string | undefined {
    return this.#current?.interaction.interactionId;
  }

  /** Whether that has only just come up: nobody can have read it. */
  get isSettling(): boolean {
    return this.#settling !== undefined;
  }

  /** Whether what is asked for next should not be read by others. */
  get isSecret(): boolean {
    return this.#current?.dialog.isSecret?.() ?? false;
  }

  isOwnAnswer(interactionId: string): boolean {
    return this.#answered.has(interactionId);
  }

  async take(line: string): Promise<void> {
    if (this.#current === undefined) return;
    const { interaction, dialog } = this.#current;
    const step = dialog.take(line);
    switch (step.type) {
      case 'ask':
        this.#options.say(step.text);
        return;
      case 'show-all':
        this.#whole.add(interaction);
        this.#options.show(interaction, true);
        this.#options.say(dialog.opening);
        return;
      case 'reply':
        this.#leave();
        await this.#send(interaction, dialog, step.reply);
        this.#next();
    }
  }

  async #send(interaction: AskedInteraction, dialog: Dialog, reply: DialogReply): Promise<void> {
    const { transport, session, say } = this.#options;
    const { interactionId } = interaction;
    this.#answered.add(interactionId);
    this.#open.delete(interactionId);
    try {
      await sendReply(transport, session, interaction, reply);
    } catch (error) {
      if (!(error instanceof BeckonError)) throw error;
      this.#answered.delete(interactionId);
      say(oneLine(error.message));
      // Answered elsewhere or gone: the stream tells how it ended. Otherwise it is still open, and asked again.
      const open =
        error.code === 'interaction_changed'
          ? await this.#reread(interactionId)
          : error.status !== 409 && error.status !== 410 && error.status !== 404
            ? interaction
            : undefined;
      if (open !== undefined) this.#open.set(interactionId, open);
      // What was filled in is kept: only what is wrong has to be changed.
      if (open === interaction && dialog.again !== undefined) this.#refused = { interaction, dialog };
    }
  }

  /** As it is asked now, to be shown anew. */
  async #reread(interactionId: string): Promise<AskedInteraction | undefined> {
    this.#shown.delete(interactionId);
    const pending = await this.#options.transport.pending();
    return pending.find((each) => each.interactionId === interactionId);
  }

  #next(): void {
    if (!this.#isStarted) return;
    if (this.#options.canAnswer) this.#ask();
    else this.#tell();
  }

  #ask(): void {
    const [interaction] = this.#open.values();
    if (this.#current !== undefined || interaction === undefined) return;
    const refused = this.#refused?.interaction === interaction ? this.#refused.dialog : undefined;
    this.#refused = undefined;
    if (refused !== undefined) {
      this.#current = { interaction, dialog: refused };
      this.#options.say(refused.again?.() ?? refused.opening);
      return;
    }
    const isSeen = () => this.#whole.has(interaction) || !isCutShort(interaction);
    const dialog = dialogAbout(interaction, isSeen);
    this.#current = { interaction, dialog };
    this.#showOnce(interaction);
    const { stillMs = 0, say, onChange } = this.#options;
    if (stillMs === 0) {
      say(dialog.opening);
      return;
    }
    // How it is answered is told when it can be.
    this.#settling = setTimeout(() => {
      this.#settling = undefined;
      say(dialog.opening);
      onChange?.();
    }, stillMs);
  }

  #leave(): void {
    clearTimeout(this.#settling);
    this.#settling = undefined;
    this.#current = undefined;
  }

  #tell(): void {
    for (const interaction of this.#open.values()) {
      if (this.#told.has(interaction.interactionId)) continue;
      this.#told.add(interaction.interactionId);
      this.#showOnce(interaction);
      this.#options.say(howToAnswer(interaction));
    }
  }

  #showOnce(interaction: AskedInteraction): void {
    if (!this.#shown.has(interaction.interactionId)) this.#options.show(interaction, false);
    this.#shown.add(interaction.interactionId);
  }
}

/** Sends it with the name of what was shown, so that it decides nothing else. */
export function sendReply(
  transport: Pick<Transport, 'approve' | 'answer' | 'respond'>,
  session: string,
  asked: AskedInteraction,
  reply: DialogReply,
): Promise<Interaction> {
  const shown = shownDigest(asked);
  switch (reply.via) {
    case 'approve':
      return transport.approve(session, { ...reply.body, shown });
    case 'answer':
      return transport.answer(session, { ...reply.body, shown });
    case 'respond':
      return transport.respond(session, { ...reply.body, shown });
  }
}

function howToAnswer({ kind, interactionId, form }: AskedInteraction): string {
  if (kind !== 'approval') return `  answer with: beckon answer ${interactionId} …`;
  const fields = form === undefined ? '' : ' FIELD=VALUE…';
  return `  answer with: beckon approve ${interactionId}${fields} | beckon deny ${interactionId}`;
}

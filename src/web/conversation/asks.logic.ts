import { foldInteraction, type InteractionEvent, newInteraction } from '../../model/interaction-fold.ts';
import type { LiveInteraction } from '../../model/state.ts';
import { interactionView } from '../../model/views.ts';
import type { EventOf } from '../../protocol/event.ts';
import type { Interaction } from '../../protocol/interaction.ts';
import type { Session } from '../../protocol/session.ts';
import type { InteractionItem, Row } from './row.ts';

type Requested = EventOf<'interaction.requested'>;

/** What becomes of an ask. */
export type AboutInteraction = Exclude<InteractionEvent, Requested>;

/** An ask, the row that shows it, and how it stands. */
interface KnownAsk {
  readonly row: Row;
  asked: LiveInteraction;
  view: Interaction;
}

/**
 * What a person is asked in a conversation: how each ask stands, which row shows it, and which call it belongs to. When a tool
 * asks again, the attempts share a row. Where the rows stand and what they show is the conversation's to change.
 */
export class Asks {
  readonly #owner: Pick<Session, 'id' | 'key'>;
  readonly #known = new Map<string, KnownAsk>();
  /** The asks that stand in a row, oldest first: each but the first takes the place of the one before it. */
  readonly #attempts = new Map<Row, readonly string[]>();
  readonly #ofCall = new Map<string, readonly Row[]>();
  /** The latest ask whether a call may be made. */
  readonly #aboutCall = new Map<string, { readonly interactionId: string; readonly seq: number }>();

  constructor(owner: Pick<Session, 'id' | 'key'>) {
    this.#owner = owner;
  }

  has(interactionId: string): boolean {
    return this.#known.has(interactionId);
  }

  view(interactionId: string): Interaction | undefined {
    return this.#known.get(interactionId)?.view;
  }

  rowOf(interactionId: string): Row | undefined {
    return this.#known.get(interactionId)?.row;
  }

  /** What is asked about a call, and by the tool while the call is made. */
  ofCall(toolCallId: string): readonly Row[] {
    return this.#ofCall.get(toolCallId) ?? none;
  }

  /** Those of a call that were told before the call itself: a tool asks by a way of its own, which may be the quicker one. */
  toldBefore({ toolCallId, seq }: EventOf<'tool.called'>): readonly Row[] {
    return this.ofCall(toolCallId).filter((row) => this.#firstIn(row) < seq);
  }

  /** The ask whether the agent may make the call. */
  aboutCall(toolCallId: string): string | null {
    return this.#aboutCall.get(toolCallId)?.interactionId ?? null;
  }

  /** The row of the ask that has been open for the longest; pages come in any order. */
  oldestOpen(): Row | undefined {
    const open = [...this.#known.values()].filter(({ view }) => view.status === 'open');
    return open.sort((a, b) => a.asked.requested.seq - b.asked.requested.seq)[0]?.row;
  }

  /** What a row has to show: its latest attempt, with those before it. */
  itemIn(row: Row): InteractionItem | undefined {
    const views = (this.#attempts.get(row) ?? []).flatMap((id) => this.view(id) ?? []);
    const latest = views.at(-1);
    return latest === undefined ? undefined : itemOf(latest, row.item.at, views.slice(0, -1));
  }

  /** The row for a new ask: a new one, unless the ask takes the place of another attempt. */
  add(event: Requested, newRow: (item: InteractionItem) => Row): Row {
    const { interactionId } = event;
    const asked = newInteraction(event);
    const view = interactionView(this.#owner, asked);
    const row = this.#sharedRow(view) ?? newRow(itemOf(view, event.at));
    const attempts = this.#attempts.get(row) ?? [];
    // An older page tells of an earlier attempt when the later one is here already.
    this.#attempts.set(
      row,
      view.tool?.replaces === attempts.at(-1) ? [...attempts, interactionId] : [interactionId, ...attempts],
    );
    this.#known.set(interactionId, { row, asked, view });
    this.#tieToCall(event, row);
    return row;
  }

  /** Takes in what became of an ask, and tells which row shows it: none, as long as the ask itself lies on an older page. */
  update(event: AboutInteraction): Row | undefined {
    const known = this.#known.get(event.interactionId);
    if (known === undefined) return undefined;
    known.asked = foldInteraction(known.asked, event);
    known.view = interactionView(this.#owner, known.asked);
    return known.row;
  }

  forget(row: Row): void {
    for (const id of this.#attempts.get(row) ?? []) this.#known.delete(id);
    this.#attempts.delete(row);
  }

  forgetCall(toolCallId: string): void {
    this.#ofCall.delete(toolCallId);
    this.#aboutCall.delete(toolCallId);
  }

  /** The row whose place an ask takes, or the one of a later attempt that has taken its place. */
  #sharedRow({ interactionId, tool }: Interaction): Row | undefined {
    if (tool === undefined) return undefined;
    const before = tool.replaces === undefined ? undefined : this.rowOf(tool.replaces);
    return (
      before ??
      this.ofCall(tool.callId).find(
        (row) => this.view(this.#attempts.get(row)?.[0] ?? '')?.tool?.replaces === interactionId,
      )
    );
  }

  /** The number of the event that told of a row's first attempt. */
  #firstIn(row: Row): number {
    return this.#known.get(this.#attempts.get(row)?.[0] ?? '')?.asked.requested.seq ?? Infinity;
  }

  #tieToCall({ interactionId, ask: { toolCallId, tool }, seq }: Requested, row: Row): void {
    for (const id of new Set([tool?.callId, toolCallId])) {
      if (id === undefined || this.ofCall(id).includes(row)) continue;
      this.#ofCall.set(id, [...this.ofCall(id), row]);
    }
    if (tool !== undefined || toolCallId === undefined) return;
    if (seq > (this.#aboutCall.get(toolCallId)?.seq ?? 0))
      this.#aboutCall.set(toolCallId, { interactionId, seq });
  }
}

const none: readonly Row[] = [];

const itemOf = (
  interaction: Interaction,
  at: string,
  earlier: readonly Interaction[] = [],
): InteractionItem => ({ kind: 'interaction', at, interaction, earlier });

import type { AgentFact, CountedFact } from '../model/agent-fact.ts';
import type { StoredFact } from '../model/observe.ts';
import type { SessionState } from '../model/state.ts';
import type { Result } from '../protocol/errors.ts';
import type { Delta } from '../protocol/event.ts';
import type { SessionId } from '../protocol/ids.ts';
import type { Announcements } from './announcements.ts';
import type { GrantBook } from './grant-book.ts';
import { PartialText } from './partial-text.ts';
import type { News } from './ports/control-room.ts';
import type { Blob } from './ports/event-log.ts';
import type { Ids } from './ports/ids.ts';
import { type Checkpoint, isPassing } from './ports/runner.ts';
import { type EffectsOptions, SessionEffects } from './session-effects.ts';
import { type Commit, SessionWriter, type Stored, type WriterOptions } from './session-writer.ts';

export interface LiveSessionOptions
  extends Omit<EffectsOptions, 'writer' | 'onFacts'>,
    Pick<WriterOptions, 'context'> {
  readonly book: GrantBook;
  readonly ids: Ids;
  readonly announcements: Announcements;
  readonly publish: (news: readonly News[]) => void;
  /** At the very first commit, before anyone hears of it. */
  readonly onCreated: (session: LiveSession) => void;
  readonly onChange: (state: SessionState) => void;
}

/** One session with all that belongs to it: the writer of its log, the agent at the other end, the sentence being said. */
export class LiveSession {
  readonly id: SessionId;
  readonly writer: SessionWriter;
  readonly effects: SessionEffects;
  readonly partial = new PartialText();
  readonly #options: LiveSessionOptions;

  /** With what was stored of it, unless it is new. */
  constructor(id: SessionId, stored: Stored | null, options: LiveSessionOptions) {
    this.id = id;
    this.#options = options;
    this.writer = new SessionWriter(id, stored, {
      ...options,
      append: (parts, grants, onStored) => options.book.append(parts, grants, onStored),
      onCommit: (commit) => this.#committed(commit),
      onLive: (deltas) => options.publish(this.#said(deltas)),
      onReading: (reads) => (reads ? this.effects.run?.release() : this.effects.run?.hold()),
    });
    this.effects = new SessionEffects({
      ...options,
      writer: this.writer,
      onFacts: (runId, facts, checkpoint) => this.#heard(runId, facts, checkpoint),
    });
  }

  get state(): SessionState {
    return this.writer.state;
  }

  /** Settles when everything that has arrived so far is stored, or the disk has refused it. */
  async drained(): Promise<Result<unknown>> {
    return this.writer.command({ type: 'interrupt-overdue', turnId: '' });
  }

  /** Lets go of everything; for the end of the server. */
  dispose(): void {
    this.writer.dispose();
    this.effects.dispose();
  }

  #committed(commit: Commit): void {
    const { announcements, publish, onCreated, onChange } = this.#options;
    if (commit.before === null) onCreated(this);
    publish([...this.#conversation(commit), ...announcements.ofCommit(commit)]);
    if (commit.checkpoint !== undefined) this.effects.agent.stored(commit.checkpoint);
    this.effects.after(commit);
    onChange(commit.after);
  }

  /** What was stored and what was only said, in the order it happened. */
  #conversation({ steps, live }: Commit): News[] {
    const news: News[] = [];
    let told = 0;
    const tellUntil = (end: number): void => {
      for (const { event } of steps.slice(told, end)) {
        this.partial.forget(event);
        news.push(this.#news({ type: 'event', event }));
      }
      told = end;
    };
    for (const { after, deltas } of live) {
      tellUntil(after);
      news.push(...this.#said(deltas));
    }
    tellUntil(steps.length);
    return news;
  }

  #said(deltas: readonly Delta[]): News[] {
    return deltas.map((delta) => {
      this.partial.add(delta);
      return this.#news({ type: 'delta', delta });
    });
  }

  /** The checkpoint goes with the last fact that is stored: with it, all before it are. */
  #heard(runId: string, facts: readonly CountedFact[], checkpoint: Checkpoint | undefined): void {
    const carrier = checkpoint === undefined ? -1 : facts.findLastIndex(isStored);
    let deltas: Delta[] = [];
    const passOn = (hasMore: boolean): void => {
      if (deltas.length > 0) this.writer.live(deltas, hasMore);
      deltas = [];
    };
    for (const [index, fact] of facts.entries()) {
      if (fact.type === 'delta') {
        deltas.push(fact.delta);
      } else {
        passOn(index <= carrier);
        this.#take(runId, fact, index === carrier ? { checkpoint } : { hasMore: index < carrier });
      }
    }
    passOn(false);
  }

  #take(processId: string, fact: StoredFact, place: Place): void {
    switch (fact.type) {
      case 'said':
        this.#keep(processId, fact, place);
        break;
      case 'ending':
        this.writer.readToEnd();
        break;
      case 'caught-up':
        void this.drained().then(() => this.effects.doAgain(this.state));
        break;
      default:
        this.writer.fact(processId, fact, place);
    }
  }

  #keep(processId: string, fact: Extract<AgentFact, { type: 'said' }>, place: Place): void {
    if (fact.images === undefined || fact.event.type !== 'tool.result') {
      this.writer.fact(processId, { type: 'said', event: fact.event }, place);
      return;
    }
    const blobs = fact.images.map((image) => imageBlob(this.#options.ids, image));
    const images = blobs.map(imageReference);
    this.writer.fact(processId, { type: 'said', event: { ...fact.event, images } }, { blobs, ...place });
  }

  #news(news: Extract<News, { kind: 'session' }>['news']): News {
    return { kind: 'session', sessionId: this.id, news };
  }
}

/** What goes with a fact of a report. */
type Place = { readonly checkpoint: Checkpoint | undefined } | { readonly hasMore: boolean };

const isStored = (fact: CountedFact): boolean => fact.type === 'diagnostic' || !isPassing(fact);

export const imageBlob = (ids: Ids, image: { readonly mediaType: string; readonly data: string }): Blob => ({
  blobId: ids.image(),
  mediaType: image.mediaType,
  data: Buffer.from(image.data, 'base64'),
});

export const imageReference = (blob: Blob) => ({
  imageId: blob.blobId,
  mediaType: blob.mediaType,
  bytes: blob.data.byteLength,
});

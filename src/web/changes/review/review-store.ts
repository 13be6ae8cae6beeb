import type { RoomCalls } from '../../../client/calls.ts';
import type { MessageReceipt } from '../../../client/transport.ts';
import { Listeners } from '../../../model/listeners.ts';
import type { ChangedFile } from '../../../protocol/changes.ts';
import type { ReviewComment, SendComments } from '../../../protocol/review.ts';
import { mostSeenFiles } from '../../../protocol/review-limit.ts';
import type { TypedComment } from './typed-comments.ts';

export interface ReviewState {
  /** False until it was read once. */
  readonly isThere: boolean;
  readonly error: unknown;
  readonly comments: readonly ReviewComment[];
  readonly seen: ReadonlyMap<string, string | null>;
  /** Removed on this page a moment ago: they can be put back. */
  readonly removed: readonly ReviewComment[];
}

const mostRemoved = 20;

/** The comments and marks of a session, as the server has them: read again when it tells of news, and after what was done here. */
export class ReviewStore {
  readonly #calls: RoomCalls;
  readonly #sessionId: string;
  readonly #listeners = new Listeners();
  #state: ReviewState = { isThere: false, error: null, comments: [], seen: new Map(), removed: [] };
  #reading: Promise<void> | undefined;
  #isNews = false;
  /** What was pressed and is not confirmed yet; null for a mark that is taken away. */
  #marking: ReadonlyMap<string, { readonly content: string | null } | null> = new Map();

  constructor(calls: RoomCalls, sessionId: string) {
    this.#calls = calls;
    this.#sessionId = sessionId;
  }

  get state(): ReviewState {
    return this.#state;
  }

  readonly subscribe = this.#listeners.add;

  /** Settles when what is shown is at least as new as this call. */
  async read(): Promise<void> {
    this.#isNews = true;
    this.#reading ??= this.#readOn().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
  }

  async add({ text, edits: _, ...typed }: TypedComment): Promise<void> {
    await this.#calls.addComment(this.#sessionId, { ...typed, text: text.trim() });
    await this.read();
  }

  async edit(commentId: string, text: string, shown: number): Promise<void> {
    try {
      await this.#calls.editComment(this.#sessionId, commentId, { text: text.trim(), shown });
    } finally {
      await this.read();
    }
  }

  async remove(comment: ReviewComment): Promise<void> {
    const { commentId, revision: shown } = comment;
    try {
      await this.#calls.removeComment(this.#sessionId, commentId, { shown });
      this.#set({ removed: [...this.#state.removed, comment].slice(-mostRemoved) });
    } finally {
      await this.read();
    }
  }

  /** The same words at the same place; under another id, for what was removed stays so. */
  async putBack({
    path,
    side,
    from,
    to,
    point,
    quote,
    isQuoteCut,
    text,
    commentId,
  }: ReviewComment): Promise<void> {
    const place = { path, side, from, to, point, quote, ...(isQuoteCut === true && { isQuoteCut }) };
    await this.#calls.addComment(this.#sessionId, { ...place, text, commentId: `${commentId}_` });
    this.forgetRemoved(commentId);
    await this.read();
  }

  forgetRemoved(commentId: string): void {
    this.#set({ removed: this.#state.removed.filter((each) => each.commentId !== commentId) });
  }

  async send(
    comments: SendComments['comments'],
    { remark, disposition }: Pick<SendComments, 'remark' | 'disposition'>,
    clientMessageId: string,
  ): Promise<MessageReceipt> {
    try {
      return await this.#calls.sendComments(this.#sessionId, {
        comments,
        clientMessageId,
        ...(remark?.trim() ? { remark: remark.trim() } : {}),
        ...(disposition === undefined ? {} : { disposition }),
      });
    } finally {
      await this.read();
    }
  }

  /** Shown as marked at once, and as it was again where that is refused. */
  async mark(files: readonly Pick<ChangedFile, 'path' | 'content'>[], seen: boolean): Promise<void> {
    const marks = files.slice(0, mostSeenFiles).map(({ path, content }) => ({ path, content }));
    const before = this.#marking;
    this.#marking = new Map([
      ...before,
      ...marks.map(({ path, content }) => [path, seen ? { content } : null] as const),
    ]);
    this.#set({ seen: this.#marked(this.#state.seen) });
    try {
      await this.#calls.markSeen(this.#sessionId, { marks, seen });
    } finally {
      const left = new Map(this.#marking);
      for (const { path } of marks) left.delete(path);
      this.#marking = left;
      await this.read();
    }
  }

  async #readOn(): Promise<void> {
    while (this.#isNews) {
      this.#isNews = false;
      try {
        const { comments, seen } = await this.#calls.comments(this.#sessionId);
        const marks = new Map(seen.map(({ path, content }) => [path, content]));
        this.#set({ isThere: true, error: null, comments, seen: this.#marked(marks) });
      } catch (error) {
        this.#set({ error });
      }
    }
  }

  #marked(seen: ReadonlyMap<string, string | null>): ReadonlyMap<string, string | null> {
    if (this.#marking.size === 0) return seen;
    const marked = new Map(seen);
    for (const [path, mark] of this.#marking) {
      if (mark === null) marked.delete(path);
      else marked.set(path, mark.content);
    }
    return marked;
  }

  #set(change: Partial<ReviewState>): void {
    this.#state = { ...this.#state, ...change };
    this.#listeners.tell();
  }
}

import type { Todo } from '../../model/tool-call.ts';
import type { Conversation } from '../conversation/conversation.logic.ts';
import type { Row, ToolItem } from '../conversation/row.ts';
import { callIn, isAtWork, type ToolLine, toolLine } from '../conversation/tool-call.logic.ts';
import { planIn } from '../conversation/tool-detail.logic.ts';

/** What can be said of a session from its conversation, beside the conversation itself. */
export interface SessionDigest {
  readonly todos: readonly Todo[];
  readonly plan: { readonly text: string; readonly row: Row } | null;
  /** Each file once, the one changed last first. */
  readonly files: readonly ChangedFile[];
  readonly agents: readonly StartedAgent[];
  /** Grows with every grant that was given or ended. */
  readonly grantNews: number;
}

export interface ChangedFile {
  readonly path: string;
  readonly added: number;
  readonly removed: number;
  /** The last change. */
  readonly row: Row;
}

export interface StartedAgent {
  readonly name: string;
  readonly state: ToolLine['state'];
  readonly depth: number;
  readonly row: Row;
}

type Building = { -readonly [K in Exclude<keyof SessionDigest, 'files' | 'agents'>]: SessionDigest[K] } & {
  readonly files: Map<string, ChangedFile>;
  readonly agents: StartedAgent[];
};

/** The digest of a conversation as it grows: what is over is gathered once, only the rest each time. */
export class DigestReader {
  #conversation: Conversation | undefined;
  #cwd = '';
  #changeCount = 0;
  /** What the rows before `#settled` tell: none of them was at work. */
  #over = emptyDigest();
  #settled = 0;

  read(conversation: Conversation, cwd: string): SessionDigest {
    const { rows } = conversation;
    if (conversation !== this.#conversation || cwd !== this.#cwd || this.#isOverdue(conversation)) {
      this.#over = emptyDigest();
      this.#settled = 0;
    }
    this.#conversation = conversation;
    this.#cwd = cwd;
    this.#changeCount = conversation.changeCount;
    const from = this.#settled;
    while (this.#settled < rows.length - 1 && !isUnfinished(rows[this.#settled])) this.#settled += 1;
    gather(rows.slice(from, this.#settled), cwd, 0, this.#over);
    const digest = { ...this.#over, files: new Map(this.#over.files), agents: [...this.#over.agents] };
    gather(rows.slice(this.#settled), cwd, 0, digest);
    return { ...digest, files: [...digest.files.values()].reverse() };
  }

  /** Whether something changed that was taken for over. */
  #isOverdue(conversation: Conversation): boolean {
    const { rows, movedFrom } = conversation.changedSince(this.#changeCount);
    if (movedFrom < this.#settled) return true;
    return [...rows].some((row) => {
      const at = conversation.rows.lastIndexOf(row);
      return at !== -1 && at < this.#settled;
    });
  }
}

const emptyDigest = (): Building => ({ todos: [], plan: null, files: new Map(), agents: [], grantNews: 0 });

const isUnfinished = (row: Row | undefined): boolean => row?.item.kind === 'tool' && isAtWork(row.item);

function gather(rows: readonly Row[], cwd: string, depth: number, digest: Building): void {
  for (const row of rows) {
    const { item } = row;
    if (item.kind === 'notice' && item.event.type.startsWith('grant.')) digest.grantNews += 1;
    if (item.kind !== 'tool') continue;
    gatherCall(row, item, cwd, depth, digest);
    if (row.children.length > 0) gather(row.children, cwd, depth + 1, digest);
  }
}

function gatherCall(row: Row, item: ToolItem, cwd: string, depth: number, digest: Building): void {
  if (item.startsAgent) {
    const { subject, state } = toolLine(item, cwd);
    digest.agents.push({ name: subject, state, depth, row });
    return;
  }
  if (item.liveInput !== null) return;
  const call = callIn(item);
  switch (call.is) {
    case 'todos':
      // A sub-agent's list is its own affair.
      if (depth === 0) digest.todos = call.todos;
      return;
    case 'plan':
      digest.plan = { text: planIn(item), row };
      return;
    case 'change': {
      const line = toolLine(item, cwd);
      if (line.state !== 'done') return;
      const known = digest.files.get(line.subject);
      // Taken out first, so that the last changed is the last in order.
      digest.files.delete(line.subject);
      digest.files.set(line.subject, {
        path: line.subject,
        added: (known?.added ?? 0) + (line.change?.added ?? 0),
        removed: (known?.removed ?? 0) + (line.change?.removed ?? 0),
        row,
      });
      return;
    }
    default:
  }
}

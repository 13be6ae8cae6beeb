import { join } from 'node:path';
import type {
  EarlierWrites,
  WriteFailure,
  WriteOptions,
  WriteOutcome,
} from '../../runner/ports/process-host.ts';
import { InputFifo } from './input-fifo.ts';
import { type LargeOutcome, LargeWrites, tellHolder, wholeBytes } from './large-writes.ts';
import type { RunDirectory } from './run-directory.ts';
import { withoutSecrets } from './without-secrets.ts';
import { type Place, WriteJournal } from './write-journal.ts';
import { WritesOnce } from './writes-once.ts';

export interface AgentInputParts {
  readonly run: RunDirectory;
  readonly secrets: readonly string[];
  /** How far the agent's output is read. */
  place(): Place;
}

/** The input of an agent on files: a FIFO, with a journal of what was written, so that the next server writes nothing twice. */
export class AgentInput {
  readonly earlierWrites: EarlierWrites;
  readonly #parts: AgentInputParts;
  readonly #journal: WriteJournal;
  readonly #large: LargeWrites;
  readonly #writes: WritesOnce;
  #fifo: InputFifo | undefined;
  /** The agent has it open: from here on it can be written to, or never. */
  #isOpened = false;
  #isClosed = false;
  #hasExited = false;
  #isReleased = false;
  #whenOpen: (() => void)[] = [];

  constructor(parts: AgentInputParts) {
    this.#parts = parts;
    this.#journal = new WriteJournal(parts.run);
    this.#large = new LargeWrites(parts.run);
    const { written, doubtful, large } = this.#journal.recover();
    this.#writes = new WritesOnce(written);
    const unfinished = this.#large.takeUp(large.filter(({ id }) => id === undefined || !written.has(id)));
    const certain = new Set(unfinished.flatMap(({ id }) => id ?? []));
    this.earlierWrites = {
      written: new Set([...written, ...certain]),
      doubtful: new Set([...doubtful].filter((id) => !certain.has(id))),
    };
    for (const { id, name, outcome } of unfinished) {
      const noted = this.#writes.once(id, () => this.#noteLarge(name, id, outcome));
      this.#whenOpen.push(() => void this.#fifo?.inTurn(() => noted));
    }
  }

  /** What comes before the agent has opened its input waits for that. */
  write(
    data: string | Buffer,
    writeId?: string,
    { announced = false }: WriteOptions = {},
  ): Promise<WriteOutcome> {
    return this.#writes.once(writeId, () => {
      const bytes = typeof data === 'string' ? Buffer.from(data) : data;
      const writeTo = (fifo: InputFifo) => this.#writeTo(fifo, bytes, writeId, announced);
      if (this.#fifo !== undefined) return writeTo(this.#fifo);
      if (this.#isOpened || this.#hasExited || this.#isClosed || this.#isReleased)
        return Promise.resolve(gone);
      return new Promise((resolve) => {
        this.#whenOpen.push(() => {
          if (this.#fifo === undefined) resolve(gone);
          else void writeTo(this.#fifo).then(resolve);
        });
      });
    });
  }

  open(): void {
    this.#isOpened = true;
    this.#fifo = InputFifo.open(join(this.#parts.run.path, 'in'));
    this.#letGoOfWriters();
    if (this.#isClosed) this.#letGo();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // Let go before the agent has opened it, the input would have no writer, and the agent would wait for one for ever.
    if (this.#isOpened) this.#letGo();
  }

  look(): void {
    this.#large.look();
  }

  noteRead(): void {
    this.#journal.read(this.#parts.place());
  }

  /** Settles when what was written so far has reached the agent, or never will. */
  settled(): Promise<void> {
    return this.#writes.settled();
  }

  exited(): void {
    this.#hasExited = true;
    this.#giveUp();
  }

  release(): void {
    this.#isReleased = true;
    this.#giveUp();
    this.#journal.close();
  }

  #giveUp(): void {
    this.#large.close();
    this.#letGoOfWriters();
    this.#fifo?.destroy();
  }

  #letGoOfWriters(): void {
    for (const go of this.#whenOpen.splice(0)) go();
  }

  /** The shell that keeps the input open ends: with our own end closed, the agent reads the end of its input. */
  #letGo(): void {
    const letGo = () => void tellHolder(this.#parts.run, '');
    if (this.#fifo === undefined) letGo();
    else void this.#fifo.close().then(letGo);
  }

  #writeTo(
    fifo: InputFifo,
    bytes: Buffer,
    id: string | undefined,
    announced: boolean,
  ): Promise<WriteOutcome> {
    const announce = () => {
      if (announced && id !== undefined) this.#journal.aboutToWrite(this.#parts.place(), { id });
    };
    const written = () => this.#note(bytes, id);
    if (bytes.length <= wholeBytes) {
      announce();
      return fifo.write(bytes, written);
    }
    return fifo.write(bytes, written, () => {
      const large = this.#writeLarge(bytes, id);
      if (large === undefined) announce();
      return large;
    });
  }

  /** Undefined where it cannot be left to the shell: it is gone, or the disk is full. */
  #writeLarge(bytes: Buffer, id: string | undefined): Promise<WriteOutcome> | undefined {
    const name = this.#large.layDown(bytes);
    if (name === undefined) return undefined;
    const outcome = this.#journal.aboutToWrite(this.#parts.place(), { id, name })
      ? this.#large.write(name)
      : undefined;
    if (outcome === undefined) this.#large.takeBack(name);
    return outcome && this.#noteLarge(name, id, outcome);
  }

  async #noteLarge(
    name: string,
    id: string | undefined,
    written: Promise<LargeOutcome>,
  ): Promise<WriteOutcome> {
    const outcome = await written;
    if (outcome === 'unknown') return this.#hasExited ? gone : { ...gone, uncertain: true };
    if (outcome !== 'failed') this.#note(outcome, id);
    this.#large.forget(name);
    return outcome === 'failed' ? gone : { ok: true };
  }

  #note(bytes: Buffer, id: string | undefined): void {
    this.#journal.wrote(withoutSecrets(bytes, this.#parts.secrets), this.#parts.place(), id);
  }
}

const gone: WriteFailure = { ok: false, code: 'EPIPE', message: 'The process does not read its input' };

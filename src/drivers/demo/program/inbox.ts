import type { Message } from './message.ts';
import type { Session } from './session.ts';
import { echoMessage, Interrupted, type Job, lifecycle, Turn } from './turn.ts';
import { playTurn, type Script } from './turn-play.ts';

/** What was said and waits, the turn that runs, and the work left behind by earlier ones. */
export class Inbox {
  readonly #session: Session;
  readonly #jobs = new Map<Job, Promise<void>>();
  #waiting: Message[] = [];
  /** Turns that the program begins by itself. */
  #own: Script[] = [];
  #turn: Turn | undefined;
  #running: Promise<void> | undefined;
  #lastFailed = false;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Whether the last turn was interrupted or an error: the exit code tells it. */
  get lastFailed(): boolean {
    return this.#lastFailed;
  }

  get busy(): boolean {
    return this.#turn !== undefined;
  }

  get waitingUuids(): readonly string[] {
    return this.#waiting.filter((message) => message.named).map((message) => message.uuid);
  }

  receive(message: Message): void {
    if (this.#session.memory.knows(message.uuid)) {
      this.#session.repeatedMessages += 1;
      void this.#hadAlready(message);
      return;
    }
    this.#session.memory.note(message.uuid);
    if (message.priority === 'now') {
      this.#turn?.stop('now');
      this.#waiting.unshift(message);
    } else {
      this.#waiting.push(message);
    }
    void lifecycle(this.#session, message, 'queued');
    this.#wake();
  }

  /** Ends the turn and the work behind it; what waits then runs by itself. */
  interrupt(): void {
    for (const job of this.#jobs.keys()) job.stop(new Interrupted('interrupt'));
    this.#turn?.stop('interrupt');
  }

  /** Takes a message back while it waits. */
  cancel(uuid: string): boolean {
    const message = this.#waiting.find((one) => one.uuid === uuid);
    if (message === undefined) return false;
    this.#waiting = this.#waiting.filter((one) => one !== message);
    void lifecycle(this.#session, message, 'cancelled');
    return true;
  }

  /** Settles when nothing runs and nothing waits. */
  async quiet(): Promise<void> {
    for (;;) {
      const [job] = this.#jobs.values();
      const going = this.#running ?? job;
      if (going === undefined) return;
      await going;
    }
  }

  #wake(): void {
    if (this.#running !== undefined) return;
    this.#running = this.#runAll().finally(() => {
      this.#running = undefined;
    });
  }

  async #runAll(): Promise<void> {
    while (this.#waiting.length > 0 || this.#own.length > 0) {
      const script = this.#waiting.length === 0 ? this.#own.shift() : undefined;
      const messages = script === undefined ? this.#takeNext() : [];
      const turn = new Turn(this.#session, messages, () => this.#takeSteering());
      this.#turn = turn;
      this.#lastFailed = await playTurn(turn, script);
      this.#turn = undefined;
      for (const job of turn.jobs) this.#begin(job);
    }
  }

  /** Messages that wait together become one turn; one that must run now has a turn to itself. */
  #takeNext(): readonly Message[] {
    const [first] = this.#waiting;
    return this.#waiting.splice(0, first?.priority === 'now' ? 1 : this.#waiting.length);
  }

  #takeSteering(): readonly Message[] {
    const taken = this.#waiting.filter((message) => message.priority === 'next');
    this.#waiting = this.#waiting.filter((message) => message.priority !== 'next');
    return taken;
  }

  #begin(job: Job): void {
    const done = job.work().then(
      () => {
        this.#jobs.delete(job);
        this.#own.push(job.onEnd);
        this.#wake();
      },
      (error: unknown) => {
        this.#jobs.delete(job);
        if (!(error instanceof Interrupted)) throw error;
      },
    );
    this.#jobs.set(job, done);
  }

  async #hadAlready(message: Message): Promise<void> {
    await echoMessage(this.#session, message);
    if (this.#session.memory.knewBefore(message.uuid)) await lifecycle(this.#session, message, 'completed');
  }
}

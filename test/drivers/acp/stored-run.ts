import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileProcessHost } from '../../../src/drivers/process/file-process-host.ts';
import { stopAgents } from '../../../src/drivers/process/run-admin.ts';
import { RunArchive } from '../../../src/drivers/process/run-archive.ts';
import { findRun } from '../../../src/drivers/process/run-directory.ts';
import type { ReadingMark } from '../../../src/engine/ports/runner.ts';
import { SessionId } from '../../../src/protocol/ids.ts';
import type {
  AgentConnection,
  AgentFact,
  AgentStart,
  LeftBehind,
  Report,
} from '../../../src/runner/ports/agent-driver.ts';
import { eventually } from '../../support/eventually.ts';
import { FactRecorder } from '../../support/fact-recorder.ts';
import { markedProcesses } from '../../support/marked-processes.ts';
import { scriptedDriver } from './acp-rig.ts';

/** One run of the scripted agent, on files, whose servers come and go: what they stored stays. */
export class StoredRun {
  readonly dir = realpathSync(mkdtempSync(join(tmpdir(), 'beckon-acp-')));
  readonly cwd = join(this.dir, 'work');
  readonly home = join(this.dir, 'home');
  /** All that was stored, by whichever server. */
  readonly stored = new FactRecorder();
  readonly start: AgentStart;
  readonly #flags: readonly string[];
  mark: ReadingMark | undefined;
  readonly #archive = new RunArchive({ dataDir: this.dir });
  #host: FileProcessHost | undefined;
  #connection: AgentConnection | undefined;
  #life = 0;

  constructor({ flags = [], ...start }: Partial<AgentStart> & { flags?: readonly string[] } = {}) {
    this.#flags = flags;
    this.start = {
      processId: 'run',
      sessionId: SessionId.parse('s1'),
      cwd: this.cwd,
      env: {},
      permissionMode: null,
      model: null,
      resume: null,
      tools: null,
      ...start,
    };
    mkdirSync(this.cwd);
    mkdirSync(this.home);
  }

  get connection(): AgentConnection {
    if (!this.#connection) throw new Error('Nobody serves it');
    return this.#connection;
  }

  /** Stores what is reported, unless it is told to do something else with it. */
  begin(report: Report = this.store): AgentConnection {
    this.#connection = this.#driver().start(this.start, this.#heard(report));
    return this.#connection;
  }

  readonly store = (facts: readonly AgentFact[], mark?: ReadingMark): void => {
    if (mark) this.mark = mark;
    this.stored.report(facts);
  };

  /** The server is gone: nothing more is heard, stored or written by it. */
  async leave(): Promise<void> {
    this.#life += 1;
    this.#connection?.detach?.();
    this.#connection = undefined;
    await this.#host?.detach();
    await this.#archive.close();
  }

  /** Another server; undefined when it cannot go on with the agent. */
  async takeUp(
    left: Partial<LeftBehind> = {},
    report: Report = this.store,
  ): Promise<AgentConnection | undefined> {
    const driver = this.#driver();
    const kept = (await this.#host?.kept()) ?? [];
    this.#connection = driver.attach?.(
      this.start,
      { mark: this.mark, kept, ready: true, openAsks: [], inFlight: [], ...left },
      this.#heard(report),
    );
    return this.#connection;
  }

  /** The agent waits at this step of its start, until the function that is returned is called. */
  hold(step: string): () => void {
    writeFileSync(join(this.home, `hold-${step}`), '');
    return () => rmSync(join(this.home, `hold-${step}`));
  }

  /** What the agent's program wrote down of the messages it got. */
  prompts(): string[] {
    return readdirSync(this.home)
      .filter((name) => name.endsWith('.history'))
      .flatMap((name) => readFileSync(join(this.home, name), 'utf8').trimEnd().split('\n'));
  }

  /** The notes of what was written to the agent, to be changed as if a server had died in the middle of one. */
  editNotes(edit: (notes: string) => string): void {
    const path = join(findRun(this.dir, this.start.processId)?.path ?? '', 'told');
    writeFileSync(path, edit(readFileSync(path, 'latin1')), 'latin1');
  }

  async end(): Promise<void> {
    await this.leave();
    await stopAgents(this.dir, 500);
    await eventually('nothing is left', () => markedProcesses(this.dir).length === 0);
    rmSync(this.dir, { recursive: true, force: true });
  }

  #driver() {
    this.#host = new FileProcessHost({ dataDir: this.dir, onOver: (run) => void this.#archive.add(run) });
    return scriptedDriver({ processes: this.#host, home: this.home, flags: this.#flags });
  }

  #heard(report: Report): Report {
    const life = this.#life;
    return (facts, mark) => {
      if (life === this.#life) report(facts, mark);
    };
  }
}

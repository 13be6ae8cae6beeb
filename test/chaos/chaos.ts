import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { holderSuffix } from '../../src/drivers/process/holder.ts';
import type { Event } from '../../src/protocol/event.ts';
import type { Session } from '../../src/protocol/session.ts';
import { type Beckon, spawnBeckon, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { agentProcesses, markedProcesses } from '../support/marked-processes.ts';
import { signal } from '../support/running.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { wholeLog } from '../support/whole-log.ts';
import { Clients, emptyLedger } from './clients.ts';
import { type Evidence, findBrokenPromises } from './promises.ts';
import { readRuns } from './record.ts';

export interface ChaosOptions {
  readonly kills: number;
  readonly seed: number;
  readonly agents: number;
  /** Agents end with the server. */
  readonly ephemeral: boolean;
  readonly tell?: (line: string) => void;
}

export interface ChaosReport {
  readonly killed: Readonly<Record<Victim, number>>;
  readonly messages: number;
  readonly answersWon: number;
  readonly answersTried: number;
  readonly runs: number;
  readonly events: number;
  /** Empty when every promise was kept. */
  readonly broken: readonly string[];
}

type Victim = 'server' | 'starting server' | 'agent' | 'holder';

/** Kills servers, agents and the shells that hold them at random moments under load, and holds what the servers say against what the agents wrote down. */
export async function chaos({
  kills,
  seed,
  agents,
  ephemeral,
  tell = () => {},
}: ChaosOptions): Promise<ChaosReport> {
  const random = seededRandom(seed);
  const place = await prepare(agents);
  const { dataDir, sessions } = place;
  const args = ['--claude', place.program, ...(ephemeral ? ['--ephemeral'] : [])];
  const ledger = emptyLedger();
  const killed: Record<Victim, number> = { server: 0, 'starting server': 0, agent: 0, holder: 0 };
  const serve = async (): Promise<Beckon> => {
    const before = new Set(agentProcesses(dataDir).map(({ pid }) => pid));
    const started = await startBeckon({ dataDir, args, cwd: place.work });
    const left = agentProcesses(dataDir).filter(({ pid }) => before.has(pid));
    if (ephemeral && left.length > 0)
      ledger.oddities.push(`${left.length} agents of an earlier server live on`);
    return started;
  };

  let beckon = await serve();
  for (const [index, key] of sessions.entries()) {
    const cwd = join(place.work, String(index));
    await beckon.api('POST', '/api/sessions', { agent: 'claude', cwd, key });
  }
  let clients = new Clients(beckon, ledger, random);
  await clients.begin();
  for (let done = 0; done < kills; ) {
    if (!(await clients.until(1 + Math.floor(random() * 60)))) ledger.oddities.push('nothing more was told');
    const victim = choose(random, dataDir, ephemeral);
    done += 1;
    killed[victim.kind] += 1;
    if (done % 50 === 0) tell(`${done} kills, ${ledger.messages.size} messages, ${ledger.won.size} answers`);
    if (victim.pid !== undefined) {
      signal(victim.pid, 'SIGKILL');
      continue;
    }
    await beckon.kill9();
    await clients.over();
    if (victim.kind === 'starting server') await killWhileStarting(dataDir, args, place.work, random() * 700);
    beckon = await serve();
    clients = new Clients(beckon, ledger, random);
    await clients.begin();
  }

  clients.isStopping = true;
  const atRest = await rest(beckon, clients);
  await clients.over();
  const logs = new Map<string, readonly Event[]>();
  for (const session of sessions) logs.set(session, await wholeLog(beckon, session));
  await beckon.stop();
  const left = agentProcesses(dataDir);
  if (left.length > 0) ledger.oddities.push(`${left.length} agents are left`);
  const evidence: Evidence = {
    serversKilled: killed.server + killed['starting server'],
    logs,
    runs: readRuns(place.records),
    ledger,
  };
  return {
    killed,
    messages: ledger.messages.size,
    answersWon: ledger.won.size,
    answersTried: ledger.answersTried,
    runs: evidence.runs.length,
    events: [...logs.values()].reduce((sum, log) => sum + log.length, 0),
    broken: [...ledger.oddities, ...atRest, ...findBrokenPromises(evidence)],
  };
}

async function prepare(agents: number) {
  const dataDir = await temporaryDirectory();
  const work = await temporaryDirectory();
  const records = await temporaryDirectory();
  const program = join(work, 'claude');
  const agent = resolve(import.meta.dirname, 'agent.ts');
  await writeFile(program, `#!/bin/sh\nexec "${process.execPath}" "${agent}" "${records}" "$@"\n`);
  await chmod(program, 0o755);
  for (let index = 0; index < agents; index += 1) await mkdir(join(work, String(index)));
  return {
    dataDir,
    work,
    records,
    program,
    sessions: Array.from({ length: agents }, (_, index) => `s${index}`),
  };
}

function choose(
  random: () => number,
  dataDir: string,
  ephemeral: boolean,
): { readonly kind: Victim; readonly pid?: number } {
  const roll = random();
  if (roll < 0.35) {
    const living = agentProcesses(dataDir);
    const pid = living[Math.floor(random() * living.length)]?.pid;
    if (pid !== undefined) return { kind: 'agent', pid };
  }
  if (roll > 0.93 && !ephemeral) {
    const holders = markedProcesses(dataDir).filter(({ marker }) => marker.endsWith(holderSuffix));
    const pid = holders[Math.floor(random() * holders.length)]?.pid;
    if (pid !== undefined) return { kind: 'holder', pid };
  }
  return { kind: roll > 0.85 ? 'starting server' : 'server' };
}

async function killWhileStarting(
  dataDir: string,
  args: readonly string[],
  cwd: string,
  afterMs: number,
): Promise<void> {
  const { child, exited } = spawnBeckon(
    ['serve', '--port', '0', '--data-dir', dataDir, '--no-open', ...args],
    { cwd },
  );
  // The moment itself is what is tried here; there is no fact to wait for.
  await delay(afterMs);
  child.kill('SIGKILL');
  await exited;
}

/** Waits until nobody has anything to do any more; what still has is told. */
async function rest(beckon: Beckon, clients: Clients): Promise<string[]> {
  for (const deadline = Date.now() + 60_000; ; ) {
    const { body } = await beckon.api('GET', '/api/sessions');
    const restless = (body.sessions as Session[]).filter(
      ({ status, queueLength }) => status !== 'idle' || queueLength > 0,
    );
    if (restless.length === 0) return [];
    for (const { id, status } of restless)
      if (status === 'asleep' || status === 'failed')
        await beckon.api('POST', `/api/sessions/${id}/resume`, {});
    if (Date.now() > deadline)
      return restless.map(
        ({ key, status, queueLength }) => `${key} has no rest: ${status}, ${queueLength} queued`,
      );
    await clients.until(1);
  }
}

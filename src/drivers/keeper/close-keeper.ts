import { setTimeout as delay } from 'node:timers/promises';
import { sendSignal } from '../process/process-table.ts';
import type { KeeperLink } from './dial.ts';

const endPatienceMs = 8_000;

/** Ends a keeper with all its agents; one that does not answer is killed. */
export async function closeKeeper(link: KeeperLink, patienceMs = endPatienceMs): Promise<void> {
  link.send({ t: 'close' });
  const patience = new AbortController();
  const isLate = await Promise.race([
    link.closed.then(() => false),
    delay(patienceMs, true, { signal: patience.signal }).catch(() => false),
  ]);
  patience.abort();
  if (isLate) sendSignal(link.hello.pid, 'SIGKILL');
  await link.closed;
  await gone(link.hello.pid);
}

/** A keeper's connections end a moment before it does; by then its agents have. One that nobody reaps is not waited for. */
async function gone(pid: number, patienceMs = 500): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (sendSignal(pid, 0)) {
    if (performance.now() > deadline) {
      sendSignal(pid, 'SIGKILL');
      return;
    }
    await delay(5);
  }
}

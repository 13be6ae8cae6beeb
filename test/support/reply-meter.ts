import { readFileSync } from 'node:fs';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

interface Server {
  readonly url: string;
  readonly pid: number;
}

/**
 * Asks a server for its health again and again, in a thread of its own: what a test does meanwhile does not count. `stop` gives how
 * long the server worked, at most, before it came to reply: in milliseconds of processor time, for the machine may be busy with
 * other things.
 */
export function meterReplies({ url, pid }: Server): { stop(): Promise<number> } {
  const worker = new Worker(import.meta.filename, { workerData: { url, pid } satisfies Server });
  const slowest = new Promise<number>((resolve, reject) =>
    worker.once('message', resolve).once('error', reject),
  );
  return {
    stop() {
      worker.postMessage('stop');
      return slowest;
    },
  };
}

/** How long a process has worked so far, as the system counts it. */
export function workOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  const ticks = Number(fields[11]) + Number(fields[12]);
  return ticks * 10;
}

async function meter({ url, pid }: Server): Promise<void> {
  let isOver = false;
  parentPort?.once('message', () => {
    isOver = true;
  });
  let slowest = 0;
  while (!isOver) {
    const before = workOf(pid);
    await (await fetch(`${url}/api/health`)).text();
    slowest = Math.max(slowest, workOf(pid) - before);
  }
  parentPort?.postMessage(slowest);
}

if (!isMainThread && typeof workerData?.pid === 'number') await meter(workerData);

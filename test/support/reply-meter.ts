import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/**
 * Asks a server for its health again and again, in a thread of its own: what a test does meanwhile does not count.
 * `stop` gives the time of the slowest reply, in milliseconds.
 */
export function meterReplies(url: string): { stop(): Promise<number> } {
  const worker = new Worker(import.meta.filename, { workerData: url });
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

async function meter(url: string): Promise<void> {
  let isOver = false;
  parentPort?.once('message', () => {
    isOver = true;
  });
  let slowest = 0;
  while (!isOver) {
    const began = performance.now();
    await (await fetch(`${url}/api/health`)).text();
    slowest = Math.max(slowest, performance.now() - began);
  }
  parentPort?.postMessage(slowest);
}

if (!isMainThread && typeof workerData === 'string' && workerData.startsWith('http')) await meter(workerData);

import type { ChildProcess } from 'node:child_process';
import { lineOf } from './running.ts';

export interface Memory {
  readonly rss: number;
  readonly heapUsed: number;
  readonly external: number;
}

/** Looks into a process that was started with `--inspect=0`. */
export class Inspector {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (result: unknown) => void>();
  #last = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const { id, result } = JSON.parse(String(data)) as { id: number; result: unknown };
      this.#waiting.get(id)?.(result);
      this.#waiting.delete(id);
    });
  }

  /** At once after the start: the address is printed only then. */
  static async connect(child: ChildProcess): Promise<Inspector> {
    const socket = new WebSocket(await lineOf(child, 'stderr', 'Debugger listening on '));
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve);
      socket.addEventListener('error', () => reject(new Error('The inspector cannot be reached')));
    });
    return new Inspector(socket);
  }

  /** What is left after all that can be freed was freed. */
  async memory(): Promise<Memory> {
    for (let turn = 0; turn < 3; turn += 1) await this.#call('HeapProfiler.collectGarbage', {});
    const expression = 'JSON.stringify(process.memoryUsage())';
    const { result } = (await this.#call('Runtime.evaluate', { expression })) as {
      result: { value: string };
    };
    return JSON.parse(result.value) as Memory;
  }

  close(): void {
    this.#socket.close();
  }

  #call(method: string, params: object): Promise<unknown> {
    this.#last += 1;
    const id = this.#last;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }
}

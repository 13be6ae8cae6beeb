import { DatabaseSync } from 'node:sqlite';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';

/** What the thread is given, and what it says after each pass. */
export interface CheckpointThreadData {
  readonly path: string;
}

/** How many pages the write-ahead log has, and how many of them the database has, too. */
export interface CheckpointPass {
  readonly log: number;
  readonly checkpointed: number;
}

/** The program of a thread: for each message it carries over from the write-ahead log what it can without being in anyone's way. */
if (parentPort !== null) serve(parentPort, workerData as CheckpointThreadData);

function serve(port: MessagePort, { path }: CheckpointThreadData): void {
  const db = new DatabaseSync(path);
  db.exec('PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0');
  const pass = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
  port.on('message', (request: 'pass' | 'close') => {
    if (request === 'pass') {
      port.postMessage({ ...pass.get() });
      return;
    }
    db.close();
    port.close();
  });
}

import type { StorageState } from '../../protocol/storage.ts';

/** How things stand with the disk, now and when it changes. */
export interface StorageWatch {
  current(): StorageState;
  listen(listener: (storage: StorageState) => void): () => void;
}

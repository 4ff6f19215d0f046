import type { ReadChunks } from '../integrity/read-chunks.js';

/** Random access to a file. */
export interface RandomBytes {
  readonly bytes: number;
  /** Reads exactly `length` bytes. */
  read(position: number, length: number): Promise<Buffer>;
}

/** Access to files by path, on a disk or in an object store. */
export interface FileAccess {
  /** Reads a file from start to end. */
  readonly read: ReadChunks;
  openRandom(path: string, signal?: AbortSignal): Promise<RandomBytes & { close(): Promise<void> }>;
}

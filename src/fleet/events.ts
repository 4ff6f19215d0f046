import type { FileError } from '../base/file-error.js';
import type { Slice } from './slices.js';

/** What became of a slice: `returned` ones are another worker's now. */
export type SliceStatus = 'done' | 'failed' | 'returned';

export interface SliceEvent extends Slice {
  readonly event: 'slice';
  readonly id: string;
  readonly status: SliceStatus;
  /** Files that were downloaded, and those that were there. */
  readonly downloaded: number;
  readonly skipped: number;
  readonly bytes: number;
  /** Tries that failed, with this one. */
  readonly attempts: number;
  /** Why it failed, or went back. */
  readonly error?: string | undefined;
}

/** What a worker tells. */
export type WorkerEvent =
  | SliceEvent
  | { readonly event: 'warning'; readonly message: string }
  | { readonly event: 'note'; readonly message: string };

export interface WorkerSummary {
  readonly exitCode: number;
  readonly done: number;
  /** Tries of slices that failed. */
  readonly failed: number;
  readonly returned: number;
  readonly bytes: number;
  readonly seconds: number;
  readonly error?: FileError | undefined;
}

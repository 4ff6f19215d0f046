import { TickhaulError } from '../base/errors.js';
import type { FileError } from '../base/file-error.js';
import { readSlice } from './parse-slice-job.js';
import type { SliceResult } from './run-slice.js';
import type { Slice } from './split-into-slices.js';

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

/** @param ended what came of the slice, or the error that it ended with. @param why it failed, or went back. */
export function createSliceEvent(
  job: { readonly id?: string | undefined; readonly data: unknown; readonly attemptsMade: number },
  status: SliceStatus,
  ended: SliceResult | TickhaulError,
  why: TickhaulError | undefined,
): SliceEvent {
  const { counts = {}, bytes = 0 } = ended instanceof TickhaulError ? {} : ended.summary;
  return {
    event: 'slice',
    id: job.id ?? '',
    status,
    ...readSlice(job.data),
    downloaded: counts.downloaded ?? 0,
    skipped: (counts.skipped ?? 0) + (counts.verified ?? 0),
    bytes,
    attempts: job.attemptsMade + (status === 'returned' ? 0 : 1),
    ...(status !== 'done' && why && { error: why.message }),
  };
}

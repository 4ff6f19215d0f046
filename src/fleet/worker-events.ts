import type { FileError } from '../base/errors.js';
import { TickhaulError } from '../base/errors.js';
import { readSlice } from './parse-slice-job.js';
import type { SliceResult } from './run-slice.js';
import type { Slice } from './split-into-slices.js';

/** Result of a slice; a `returned` slice is left to another worker. */
export type SliceStatus = 'done' | 'failed' | 'returned';

export interface SliceEvent extends Slice {
  readonly event: 'slice';
  readonly id: string;
  readonly status: SliceStatus;
  /** Number of downloaded files, and of files that existed. */
  readonly downloaded: number;
  readonly skipped: number;
  readonly bytes: number;
  /** Failed attempts, including this one. */
  readonly attempts: number;
  /** Why the slice failed or was returned. */
  readonly error?: string | undefined;
}

/** Events of a worker (docs/spec/queue.md#events). */
export type WorkerEvent =
  | SliceEvent
  | { readonly event: 'warning'; readonly message: string }
  | { readonly event: 'note'; readonly message: string };

export interface WorkerSummary {
  readonly exitCode: number;
  readonly done: number;
  /** Failed attempts of slices. */
  readonly failed: number;
  readonly returned: number;
  readonly bytes: number;
  readonly seconds: number;
  readonly error?: FileError | undefined;
}

/** @param result the slice's result or error. @param reason why the slice failed or was returned. */
export function createSliceEvent(
  job: { readonly id?: string | undefined; readonly data: unknown; readonly attemptsMade: number },
  status: SliceStatus,
  result: SliceResult | TickhaulError,
  reason: TickhaulError | undefined,
): SliceEvent {
  const { counts = {}, bytes = 0 } = result instanceof TickhaulError ? {} : result.summary;
  return {
    event: 'slice',
    id: job.id ?? '',
    status,
    ...readSlice(job.data),
    downloaded: counts.downloaded ?? 0,
    skipped: (counts.skipped ?? 0) + (counts.verified ?? 0),
    bytes,
    attempts: job.attemptsMade + (status === 'returned' ? 0 : 1),
    ...(status !== 'done' && reason && { error: reason.message }),
  };
}

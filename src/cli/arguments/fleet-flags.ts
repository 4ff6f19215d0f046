import { booleanFlag, groupFlags, valueFlag } from './define-flag.js';
import { DOWNLOAD_FLAGS } from './run-flags.js';

/** The queue: `enqueue`, `worker`, `queue`. */
export const QUEUE_FLAGS = groupFlags('Queue:', {
  queue: valueFlag('name of the queue, in the Redis of TICKHAUL_QUEUE_URL (default: tickhaul)'),
});

const { yes: _notAsked, ...SLICE_DOWNLOAD_FLAGS } = DOWNLOAD_FLAGS;

/** Download settings of slices: `enqueue`. */
export const SLICE_FLAGS = {
  ...SLICE_DOWNLOAD_FLAGS,
  ...groupFlags('Download:', {
    'fail-fast': booleanFlag('end a slice at its first failed file; the slice is retried as usual'),
    strict: booleanFlag('fail with exit code 7 on pending or unavailable days, after queuing the others'),
  }),
};

/** How slices are queued: `enqueue`. */
export const ENQUEUE_FLAGS = groupFlags('Queue:', {
  slice: valueFlag('days per slice, counted from the first of each month, such as 1d (default: the month)'),
  'max-slices': valueFlag('slices that all workers together process at once (default: 20)'),
});

/** How slices are processed: `worker`. */
export const WORKER_FLAGS = groupFlags('Queue:', {
  concurrency: valueFlag('slices to process at once, 1 to 100 (default: 4)', { alias: 'j' }),
  once: booleanFlag('end when no slice is left: exit code 0, or 3 if some failed finally'),
  'lock-duration': valueFlag(
    'reassign a slice after this long without a heartbeat of its worker (default: 60s)',
  ),
  'stall-timeout': DOWNLOAD_FLAGS['stall-timeout'] ?? {},
});

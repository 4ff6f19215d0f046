import { booleanFlag, groupFlags, valueFlag } from './define-flag.js';
import { DOWNLOAD_FLAGS } from './run-flags.js';

/** Which queue is meant: `enqueue`, `workerCommand`, `queueCommand` (contract, Beyond one machine). */
export const QUEUE_FLAGS = groupFlags('Queue:', {
  queue: valueFlag('name of the queue, in the Redis of TICKHAUL_QUEUE_URL (default: tickhaul)'),
});

const { yes: _nobodyIsAsked, ...OF_SLICES } = DOWNLOAD_FLAGS;

/** How workers bring the files of each slice: `enqueue`. */
export const SLICE_FLAGS = {
  ...OF_SLICES,
  ...groupFlags('Download:', {
    'fail-fast': booleanFlag('end a slice at its first failed file; it is tried again as usual'),
    strict: booleanFlag('days that are pending or unavailable: exit code 7, once the rest is in the queue'),
  }),
};

/** How work is put there: `enqueue`. */
export const ENQUEUE_FLAGS = groupFlags('Queue:', {
  slice: valueFlag('days of a slice, counted from the first of each month, as 1d (default: the month)'),
  'max-slices': valueFlag('slices that all workers together take at once (default: 20)'),
});

/** How it is taken from there: `workerCommand`. */
export const WORKER_FLAGS = groupFlags('Queue:', {
  concurrency: valueFlag('slices at once, 1 to 100 (default: 4)', { alias: 'j' }),
  once: booleanFlag('end when no slice is left: code 0, or 3 where some failed for good'),
  'lock-duration': valueFlag(
    'a slice is another worker’s when its own was silent for so long (default: 60s)',
  ),
  'stall-timeout': DOWNLOAD_FLAGS['stall-timeout'] ?? {},
});

import { grouped, toggle, value } from './flag.js';
import { DOWNLOAD_FLAGS } from './flags.js';

/** Which queue is meant: `enqueue`, `worker`, `queue` (contract, Beyond one machine). */
export const QUEUE_FLAGS = grouped('Queue:', {
  queue: value('name of the queue, in the Redis of TICKHAUL_QUEUE_URL (default: tickhaul)'),
});

const { yes: _nobodyIsAsked, ...OF_SLICES } = DOWNLOAD_FLAGS;

/** How workers bring the files of each slice: `enqueue`. */
export const SLICE_FLAGS = {
  ...OF_SLICES,
  ...grouped('Download:', {
    'fail-fast': toggle('end a slice at its first failed file; it is tried again as usual'),
    strict: toggle('days that are pending or unavailable: exit code 7, once the rest is in the queue'),
  }),
};

/** How work is put there: `enqueue`. */
export const ENQUEUE_FLAGS = grouped('Queue:', {
  slice: value('days of a slice, counted from the first of each month, as 1d (default: the month)'),
  'max-slices': value('slices that all workers together take at once (default: 20)'),
});

/** How it is taken from there: `worker`. */
export const WORKER_FLAGS = grouped('Queue:', {
  concurrency: value('slices at once, 1 to 100 (default: 4)', { alias: 'j' }),
  once: toggle('end when no slice is left: code 0, or 3 where some failed for good'),
  'lock-duration': value('a slice is another worker’s when its own was silent for so long (default: 60s)'),
  'stall-timeout': DOWNLOAD_FLAGS['stall-timeout'] ?? {},
});

import { RULE_OPTIONS, TRANSFER_OPTIONS } from './day-file-options.js';
import { groupOptions } from './option-definition.js';

/** The queue: `enqueue`, `worker`, `queue`. */
export const QUEUE_OPTIONS = groupOptions('Queue:', {
  queue: {
    type: 'text',
    description: 'name of the queue, in the Redis of TICKHAUL_QUEUE_URL',
    default: 'tickhaul',
  },
});

const { yes: _yes, ...SLICE_RULE_OPTIONS } = RULE_OPTIONS;

/** Download options of slices. */
export const SLICE_DOWNLOAD_OPTIONS = groupOptions('Download:', {
  ...TRANSFER_OPTIONS,
  ...SLICE_RULE_OPTIONS,
  'fail-fast': {
    ...RULE_OPTIONS['fail-fast'],
    description: 'end a slice at its first failed file; the slice is retried as usual',
  },
  strict: {
    ...RULE_OPTIONS.strict,
    description: 'fail with exit code 7 on pending or unavailable days, after queuing the others',
  },
});

/** How slices are queued. */
export const ENQUEUE_OPTIONS = groupOptions('Queue:', {
  slice: {
    type: 'text',
    description: 'days per slice, counted from the first of each month, such as 1d',
    defaultText: 'the month',
  },
  'max-slices': {
    type: 'count',
    min: 1,
    max: 100_000,
    description: 'slices that all workers together process at once',
    default: '20',
  },
});

/** How slices are processed. */
export const WORKER_OPTIONS = groupOptions('Queue:', {
  concurrency: {
    type: 'count',
    min: 1,
    max: 100,
    description: 'slices to process at once, 1 to 100',
    default: '4',
    alias: 'j',
  },
  once: {
    type: 'flag',
    description: 'end when no slice is left: exit code 0, or 3 if some failed permanently',
  },
  'lock-duration': {
    type: 'timer',
    description:
      'a slice counts as lost if its worker has not renewed its lock for this long (at least 1s; the same on all workers)',
    default: '60s',
  },
  'stall-timeout': TRANSFER_OPTIONS['stall-timeout'],
});

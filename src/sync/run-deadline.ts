import { type Deadline, startDeadline as start } from '../base/deadline.js';
import { TickhaulError } from '../base/errors.js';
import { formatDuration } from '../base/units.js';

/** Starts the run's time limit; without `ms`, it never expires. @param ms milliseconds. */
export function startRunDeadline(ms: number | undefined): Deadline {
  const over = `the --max-duration of ${formatDuration(ms ?? 0)} is over; the next run continues`;
  return start(ms, new TickhaulError('out_of_time', over));
}

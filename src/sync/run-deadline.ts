import { type Deadline, startDeadline as start } from '../base/deadline.js';
import { TickhaulError } from '../base/errors.js';
import { formatDuration } from '../base/units.js';

/** The end of a run's time; never without a time. @param ms milliseconds. */
export function startRunDeadline(ms: number | undefined): Deadline {
  const over = `the ${formatDuration(ms ?? 0)} of --max-duration are over; the next run goes on`;
  return start(ms, new TickhaulError('out_of_time', over));
}

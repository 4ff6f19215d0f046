/** Midnight of the files' day, in microseconds. */
export const DAY = '2020-09-01';
const MIDNIGHT = Date.parse(DAY) * 1000;

/**
 * The times of messages: the exchange's times are whole milliseconds; the local times have a lag that drifts, jitters
 * and sometimes jumps.
 * @param pause mean time between messages, in microseconds.
 * @param lag delay from the exchange, in microseconds.
 * @returns a function that returns `timestamp,local_timestamp` as text, later by each call. `next(n)` is n microseconds
 *   later in local time, with the same exchange time.
 */
export function clockOf({ chance, exponential, normal }, { pause, lag }) {
  let time = MIDNIGHT;
  let exchange = timeText(time);
  let local = time;
  let drift = 0;
  return (after) => {
    if (after !== undefined) {
      local += after;
      return `${exchange},${timeText(local)}`;
    }
    time += exponential(pause);
    drift = drift * 0.999 + normal() * lag * 0.002;
    const jitter = exponential(lag * 0.04) + (chance(0.0005) ? exponential(lag * 3) : 0);
    local = Math.max(local + 1, Math.floor(time + Math.max(lag * 0.5, lag + drift) + jitter));
    exchange = timeText(Math.floor(time / 1000) * 1000);
    return `${exchange},${timeText(local)}`;
  };
}

let seconds = 0;
let secondsText = '';

/** Microseconds as text; most have the same second as the previous one. */
function timeText(time) {
  const whole = Math.floor(time / 1e6);
  if (whole !== seconds) {
    seconds = whole;
    secondsText = String(whole);
  }
  return secondsText + String(1e6 + (time - whole * 1e6)).slice(1);
}

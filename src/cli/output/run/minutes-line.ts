import { formatCount, formatDuration, plural } from '../../../base/units.js';
import type { Screen } from '../../arguments/types.js';
import { textColumns } from '../text/screen.js';
import { wrapLines } from '../text/wrap.js';

/** Milliseconds between two lines of progress (contract, Output), and between two states of a line on a terminal. */
const LINES_MS = 10_000;
const REDRAW_MS = 250;

/** How far a replay of feeds has come, on stderr. */
export interface MinutesLine {
  /** So many minutes more were read, of a period of so many. */
  onMinutes(minutes: number, period: number): void;
  /** A line of something else. */
  print(text: string): void;
  /** Leaves nothing behind on a terminal. */
  close(): void;
}

/**
 * @param redraws whether one line is written over and over: on a terminal to which nothing else is written.
 * @param now milliseconds of a clock that never goes back.
 */
export function createMinutesLine(
  screen: Screen,
  redraws: boolean,
  written: { readonly messages: number },
  now = (): number => performance.now(),
): MinutesLine {
  const began = now();
  let done = 0;
  let last = began;
  let isShown = false;
  const clear = (): void => {
    if (isShown) screen.write('\r\x1b[K');
    isShown = false;
  };
  return {
    onMinutes(more, period) {
      done += more;
      if (now() - last < (redraws ? REDRAW_MS : LINES_MS)) return;
      last = now();
      const seconds = (last - began) / 1000;
      const left = formatDuration((seconds / done) * (period - done) * 1000);
      const rate = formatCount(Math.round(written.messages / seconds));
      const text = `${Math.floor(done)} of ${plural(period, 'minute')}, ${rate} messages/s, ${left} left`;
      clear();
      screen.write(redraws ? text : `${text}\n`);
      isShown = redraws;
    },
    print(text) {
      clear();
      screen.write(wrapLines(text, textColumns(screen)));
    },
    close: clear,
  };
}

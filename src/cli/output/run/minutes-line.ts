import { formatCount, formatDuration, plural } from '../../../base/units.js';
import type { OutputScreen } from '../../arguments/command.js';
import { textColumns } from '../text/screen.js';
import { wrapLines } from '../text/wrap.js';

/**
 * Milliseconds between two lines of progress (docs/spec/command-line.md#streams), and between redraws on a
 * terminal.
 */
const LINE_INTERVAL_MS = 10_000;
const REDRAW_INTERVAL_MS = 250;

/** Progress of a replay of feeds, on stderr. */
export interface MinutesLine {
  /** Adds minutes that were read. @param period minutes of the whole period. */
  onMinutes(minutes: number, period: number): void;
  /** Prints another line. */
  print(text: string): void;
  /** Removes the progress line from a terminal. */
  close(): void;
}

/**
 * @param redraws whether to redraw one line, on a terminal with no other output.
 * @param now monotonic clock in milliseconds.
 */
export function createMinutesLine(
  screen: OutputScreen,
  redraws: boolean,
  written: { readonly messages: number },
  now = (): number => performance.now(),
): MinutesLine {
  const startedAtMs = now();
  let done = 0;
  let lastLineMs = startedAtMs;
  let isShown = false;
  const clear = (): void => {
    if (isShown) screen.write('\r\x1b[K');
    isShown = false;
  };
  return {
    onMinutes(minutes, period) {
      done += minutes;
      if (now() - lastLineMs < (redraws ? REDRAW_INTERVAL_MS : LINE_INTERVAL_MS)) return;
      lastLineMs = now();
      const seconds = (lastLineMs - startedAtMs) / 1000;
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

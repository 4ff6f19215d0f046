import type { LineSink, WrittenCounts } from '../market/lines/line-sink.js';
import type { RunSummary } from '../run/run-events.js';
import type { RunObserver } from './command-run.js';

/** Who takes the messages of a replay, and hears of how what is missing comes. */
export interface ReplayObserver extends RunObserver {
  /** Of day files: what the download of those that were missing came to. */
  readonly onDownloaded: (summary: RunSummary) => void;
  /** Of feeds: so many minutes more were read, of a period of so many. */
  readonly onMinutes?: ((minutes: number, period: number) => void) | undefined;
  /** For the lines, where no file is to have them. */
  readonly output: LineSink;
  /** Counted up. */
  readonly written: WrittenCounts;
}

/** A replay whose options were read and found right; nothing was asked for yet. */
export type ReplayRun = (teller: ReplayObserver) => Promise<void>;

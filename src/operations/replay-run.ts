import type { RunSummary } from '../events/run-events.js';
import type { LineSink, WrittenCounts } from '../market/lines/line-buffer.js';
import type { RunObserver } from './command-run.js';

/** Receives the messages of a replay and the progress of its downloads. */
export interface ReplayObserver extends RunObserver {
  /** Called with the summary of the download of missing day files. */
  readonly onDownloaded: (summary: RunSummary) => void;
  /** Called after more minutes of a feed were read. @param period minutes of the whole period. */
  readonly onMinutes?: ((minutes: number, period: number) => void) | undefined;
  /** Receives the lines, unless `--out` names a file. */
  readonly output: LineSink;
  /** Counters of what is written. */
  readonly written: WrittenCounts;
}

/** A replay with valid options that has sent no request yet. */
export type ReplayRun = (observer: ReplayObserver) => Promise<void>;

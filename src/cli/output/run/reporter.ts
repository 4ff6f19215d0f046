import type { ChalkInstance } from 'chalk';
import type { RunEvent, RunSummary } from '../../../run/run-events.js';
import type { OutputScreen } from '../../arguments/command.js';

/** Turns a run's events into output. */
export interface Reporter {
  event(event: RunEvent): void;
  /** A line that is no event, such as a request under `--verbose`. */
  note(line: string): void;
  finish(summary: RunSummary): void;
}

export interface ReporterContext {
  readonly stdout: OutputScreen;
  readonly stderr: OutputScreen;
  /** For stderr. */
  readonly chalk: ChalkInstance;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

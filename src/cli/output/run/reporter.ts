import type { ChalkInstance } from 'chalk';
import type { RunEvent, RunSummary } from '../../../events/run-events.js';
import type { OutputScreen } from '../../arguments/command.js';

/** Prints the events of a run. */
export interface Reporter {
  event(event: RunEvent): void;
  /** Prints a line that is not an event, such as a request with `--verbose`. */
  note(line: string): void;
  finish(summary: RunSummary): void;
}

export interface ReporterContext {
  readonly stdout: OutputScreen;
  readonly stderr: OutputScreen;
  /** Colours for stderr. */
  readonly chalk: ChalkInstance;
  /** Monotonic clock in milliseconds. */
  readonly now: () => number;
  /** Whether JSON lines come without warnings and notes, as the quiet reporter does. */
  readonly isQuiet?: boolean;
}

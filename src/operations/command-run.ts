import type { AskForSpace } from '../download/plan/report-plan.js';
import type { EventSink, RunSummary } from '../events/run-events.js';

/** Receives the events of a run. */
export interface RunObserver {
  readonly emit: EventSink;
  /** Receives one line per HTTP request (`--verbose`). */
  readonly note?: ((line: string) => void) | undefined;
  /** Asks whether to continue if the disk is too small; without it, the run warns and continues. */
  readonly askForSpace?: AskForSpace | undefined;
}

/** A run with valid options that has sent no request and changed nothing yet. */
export type CommandRun = (observer: RunObserver) => Promise<RunSummary>;

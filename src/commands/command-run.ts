import type { AskForSpace } from '../download/plan/report-plan.js';
import type { EventSink, RunSummary } from '../run/run-events.js';

/** Who is told of a run while it works. */
export interface RunObserver {
  readonly emit: EventSink;
  /** Takes a line for each request, where that is wanted. */
  readonly note?: ((line: string) => void) | undefined;
  /** Asks whether to go on where the disk is too small; without it, that is a warning. */
  readonly askForSpace?: AskForSpace | undefined;
}

/** A run whose options were read and found right; nothing was asked for or changed yet. */
export type CommandRun = (teller: RunObserver) => Promise<RunSummary>;

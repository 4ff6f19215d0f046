import type { CommandArgs } from '../commands/arguments/command-args.js';
import type { CommandHost } from '../commands/command-host.js';
import { type SummaryJson, toSummaryJson } from '../run/json-events.js';
import type { RunEvent } from '../run/run-events.js';
import { createFailedSummary, toRunFailure } from '../run/run-failure.js';
import type { EventQueue } from './event-queue.js';
import { createFailureTracker } from './failure-tracker.js';
import { type LibraryEvent, toLibraryEvent } from './library-events.js';
import { createLibraryHost } from './library-host.js';
import { flagsToOptionsInError, type OptionTable, optionsToArgs } from './options-to-args.js';
import { findCause, type Run, startRun } from './start-run.js';
import { toJsonValue } from './to-json-value.js';

/** What a call works with: its options as arguments, and where it tells. */
export interface EventCall {
  readonly args: CommandArgs;
  readonly host: CommandHost;
  readonly emit: (event: RunEvent) => void;
  readonly feed: EventQueue<LibraryEvent>;
}

/** A signal among the options; one that is none is told of when they are read. */
export function findSignal(options: unknown): AbortSignal | undefined {
  const given: unknown = Object(options).signal;
  return given instanceof AbortSignal ? given : undefined;
}

/**
 * Begins a run that tells events, the summary last, also where it fails.
 * @param work reads the options by the readers of the flags, and does what the command does.
 */
export function startEventRun(
  table: OptionTable,
  options: unknown,
  work: (call: EventCall) => Promise<SummaryJson>,
): Run<LibraryEvent, SummaryJson> {
  return startRun(findSignal(options), async (feed: EventQueue<LibraryEvent>, signal) => {
    const began = performance.now();
    const failures = createFailureTracker();
    const emit = (event: RunEvent): void => {
      failures.see(event);
      const told = feed.isRead ? toLibraryEvent(event) : undefined;
      if (told) feed.push(told);
    };
    const host = createLibraryHost(signal, (message) => emit({ event: 'warning', message }));
    let cause: unknown;
    const summary = await Promise.resolve()
      .then(() => work({ args: optionsToArgs(table, options), host, emit, feed }))
      .catch((thrown: unknown) => {
        cause = findCause(thrown);
        return toSummaryJson(createFailedSummary(toRunFailure(flagsToOptionsInError(thrown, table)), began));
      })
      .then(toJsonValue);
    feed.push(summary);
    if (summary.exitCode !== 0)
      throw failures.error(summary, cause ?? (signal.aborted ? findCause(signal.reason) : undefined));
    return summary;
  });
}

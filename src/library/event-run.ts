import {
  type JsonEvent,
  type SummaryJson,
  toDayJson,
  toFileJson,
  toFindingJson,
  toPlanJson,
  toSummaryJson,
} from '../events/json-events.js';
import type { RunEvent } from '../events/run-events.js';
import { createFailedSummary, toRunFailure } from '../events/run-failure.js';
import { createFailureTracker } from '../events/run-tally.js';
import type { CommandHost } from '../operations/command-host.js';
import { type CommandArgs, expandHomeInArgs } from '../operations/expand-home.js';
import { flagsToSettingsInMessage } from '../options/setting-names.js';
import { flagsToOptionsInError, type OptionTable, optionsToArgs } from './options-to-args.js';
import {
  createLibraryHost,
  type EventQueue,
  findCause,
  LibraryError,
  type Run,
  startRun,
  toJsonValue,
} from './start-run.js';

/** Context of a call: its options as command arguments, and its event queue. */
export interface EventCall {
  readonly args: CommandArgs;
  readonly host: CommandHost;
  readonly emit: (event: RunEvent) => void;
  readonly feed: EventQueue<LibraryEvent>;
}

/** The `signal` option, if it is an AbortSignal; the check of the options reports any other value. */
export function findSignal(options: unknown): AbortSignal | undefined {
  const signal: unknown = Object(options).signal;
  return signal instanceof AbortSignal ? signal : undefined;
}

/**
 * Starts a run that emits events. The summary is the last event, also of a failed run.
 * @param work reads the arguments with the readers of the flags, and runs the command.
 */
export function startEventRun(
  table: OptionTable,
  options: unknown,
  work: (call: EventCall) => Promise<SummaryJson>,
): Run<LibraryEvent, SummaryJson> {
  return startRun(findSignal(options), async (feed: EventQueue<LibraryEvent>, signal) => {
    const startedAtMs = performance.now();
    const failures = createFailureTracker();
    const emit = (event: RunEvent): void => {
      failures.record(event);
      const libraryEvent = feed.isRead ? toLibraryEvent(event) : undefined;
      if (libraryEvent) feed.push(libraryEvent);
    };
    const host = createLibraryHost(signal, (message) => emit({ event: 'warning', message }));
    let cause: unknown;
    const summary = await Promise.resolve()
      .then(() =>
        work({ args: expandHomeInArgs(optionsToArgs(table, options), host.home), host, emit, feed }),
      )
      .catch((thrown: unknown) => {
        cause = findCause(thrown);
        return toSummaryJson(
          createFailedSummary(toRunFailure(flagsToOptionsInError(thrown, table)), startedAtMs),
        );
      })
      .then(({ reasons, ...rest }) =>
        toJsonValue({
          ...rest,
          reasons: reasons?.map((reason) => ({
            ...reason,
            message: flagsToSettingsInMessage(reason.message),
          })),
        }),
      );
    feed.push(summary);
    if (summary.exitCode === 0) return summary;
    const thrownCause = cause ?? (signal.aborted ? findCause(signal.reason) : undefined);
    throw new LibraryError(failures.findReason(summary), summary, thrownCause);
  });
}

/** A line that the command prints to stderr with `--json`. */
export interface NoticeEvent {
  readonly event: 'warning' | 'note';
  readonly message: string;
}

/**
 * Events of `plan`, `download`, `sync`, `verify`, `audit` and `convert`: the events of `--json`, with the summary
 * last, and notices.
 */
export type LibraryEvent = JsonEvent | NoticeEvent;

/** Converts a run event for the reader; undefined for events that only update progress bars. */
function toLibraryEvent(event: RunEvent): LibraryEvent | undefined {
  switch (event.event) {
    case 'plan':
      return toJsonValue(toPlanJson(event));
    case 'file':
      return toJsonValue(toFileJson(event));
    case 'finding':
      return toJsonValue(toFindingJson(event));
    case 'day':
      return toJsonValue(toDayJson(event));
    case 'warning':
    case 'note':
      return { event: event.event, message: event.message };
    default:
      return undefined;
  }
}

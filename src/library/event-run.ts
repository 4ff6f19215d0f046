import type { Args } from '../commands/arguments/args.js';
import type { Host } from '../commands/host.js';
import type { RunEvent } from '../run/events.js';
import { describeFailure, failedSummary } from '../run/failure.js';
import { type SummaryJson, summaryObject } from '../run/json.js';
import { argsOf, inOptions, type OptionTable } from './arguments.js';
import { type ToldEvent, toldOf } from './events.js';
import { createFailures } from './failures.js';
import type { Feed } from './feed.js';
import { libraryHost } from './host.js';
import { plainly } from './plainly.js';
import { begin, causeOf, type Run } from './run.js';

/** What a call works with: its options as arguments, and where it tells. */
export interface Call {
  readonly args: Args;
  readonly host: Host;
  readonly emit: (event: RunEvent) => void;
  readonly feed: Feed<ToldEvent>;
}

/** A signal among the options; one that is none is told of when they are read. */
export function signalOf(options: unknown): AbortSignal | undefined {
  const given: unknown = Object(options).signal;
  return given instanceof AbortSignal ? given : undefined;
}

/**
 * Begins a run that tells events, the summary last, also where it fails.
 * @param work reads the options by the readers of the flags, and does what the command does.
 */
export function beginEvents(
  table: OptionTable,
  options: unknown,
  work: (call: Call) => Promise<SummaryJson>,
): Run<ToldEvent, SummaryJson> {
  return begin(signalOf(options), async (feed: Feed<ToldEvent>, signal) => {
    const began = performance.now();
    const failures = createFailures();
    const emit = (event: RunEvent): void => {
      failures.see(event);
      const told = feed.isRead ? toldOf(event) : undefined;
      if (told) feed.push(told);
    };
    const host = libraryHost(signal, (message) => emit({ event: 'warning', message }));
    let cause: unknown;
    const summary = await Promise.resolve()
      .then(() => work({ args: argsOf(table, options), host, emit, feed }))
      .catch((thrown: unknown) => {
        cause = causeOf(thrown);
        return summaryObject(failedSummary(describeFailure(inOptions(thrown, table)), began));
      })
      .then(plainly);
    feed.push(summary);
    if (summary.exitCode !== 0)
      throw failures.error(summary, cause ?? (signal.aborted ? causeOf(signal.reason) : undefined));
    return summary;
  });
}

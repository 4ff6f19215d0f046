import { setMaxListeners } from 'node:events';
import { abortReason, judgeError, TickhaulError, toFileError } from '../base/errors.js';
import { workInParallel } from '../base/thread-pool.js';
import { secondsSince } from '../base/units.js';
import type { Day } from '../day-files/day.js';
import type { DayFile } from '../day-files/day-file.js';
import type { EventSink, FileEvent, RunSummary } from '../events/run-events.js';
import { createRunTally } from '../events/run-tally.js';
import type { InstrumentClose } from '../market/day-file/computed-stream.js';
import type { ConvertFileResult } from './convert-file.js';

/** Outputs of one source, or an output of several, that are converted and reported together. */
interface SourceOutputs {
  /** Undefined for an output of several. */
  readonly source?: string | undefined;
  /** Sources of an output that may have several, in the order of its rows. */
  readonly sources?: readonly string[] | undefined;
  /** Undefined if the day file is unknown. */
  readonly file: DayFile | undefined;
  /** Locations of the outputs; `-` for stdout. */
  readonly paths: readonly string[];
}

/** The loop of a run of `convert`, to files and to stdout: reports each output, and stops at an error of all files. */
export class ConvertRun {
  /** Aborted by the caller, by an error that affects all files, or by a bug in one thread. */
  readonly signal: AbortSignal;
  readonly #emit: EventSink;
  readonly #stop = new AbortController();
  readonly #tally = createRunTally();
  readonly #started = performance.now();

  constructor({ emit, signal }: { readonly emit: EventSink; readonly signal: AbortSignal }) {
    this.#emit = emit;
    this.signal = AbortSignal.any([signal, this.#stop.signal]);
    // Each job adds a listener; without this, Node would warn about a leak.
    setMaxListeners(0, this.signal);
  }

  /** Reports the number of outputs, then warnings about the plan. */
  reportPlan(files: number, warnings: readonly string[]): void {
    this.#emit({ event: 'plan', files });
    for (const message of warnings) this.#emit({ event: 'warning', message });
  }

  /**
   * Works on items, `count` at a time. @returns the reason if the run stopped early.
   * @throws the first error of `work`.
   */
  async runAll<Item>(
    items: readonly Item[],
    count: number,
    work: (item: Item) => Promise<void>,
  ): Promise<TickhaulError | undefined> {
    await workInParallel(items, { count, signal: this.signal, stop: this.#stop }, work);
    return this.signal.aborted ? abortReason(this.signal) : undefined;
  }

  /**
   * Converts a source, and reports its outputs.
   * @param convert returns the results of the outputs, in their order.
   * @returns whether the outputs are complete.
   * @throws errors of `convert` that are bugs.
   */
  async convertSource(
    { source, sources, file, paths }: SourceOutputs,
    convert: () => Promise<readonly ConvertFileResult[]>,
  ): Promise<boolean> {
    const started = performance.now();
    const events = paths.map(
      (path) => ({ event: 'file', file, path, source, ...(sources && { sources }) }) as const,
    );
    for (const { path } of events) this.#emit({ event: 'start', file, path });
    try {
      const results = await convert();
      for (const [i, { status, rows, bytes, warning }] of results.entries()) {
        if (warning !== undefined) this.#emit({ event: 'warning', message: warning });
        const base = events[i];
        if (base) this.reportFile({ ...base, status, rows, bytes, seconds: secondsSince(started) });
      }
      return true;
    } catch (error) {
      if (this.signal.aborted) return false;
      if (!(error instanceof TickhaulError)) throw error;
      for (const base of events) {
        const seconds = secondsSince(started);
        this.reportFile({ ...base, status: 'failed', seconds, error: toFileError(error) });
      }
      if (judgeError(error).affectsRun) this.stop(error);
      return false;
    }
  }

  reportFile(event: FileEvent): void {
    this.#tally.add(event);
    this.#emit(event);
  }

  stop(reason: unknown): void {
    this.#stop.abort(reason);
  }

  /** @param planned outputs of the plan; undefined if none is missing. @param stopped the reason if the run stopped early. */
  summary(planned: number | undefined, stopped: TickhaulError | undefined): RunSummary {
    return this.#tally.summary({
      planned: planned === undefined ? undefined : { files: planned },
      stopped,
      strict: false,
      seconds: secondsSince(this.#started),
    });
  }
}

/**
 * Passes the last closes of each series (exchange, data type and symbol) from a day to the next, for filled bars of days
 * that are written to one output. Days may be computed at the same time: each waits for the one before.
 */
export class CloseChain {
  readonly #lastDays = new Map<
    string,
    { readonly day: Day; readonly closes: Promise<readonly InstrumentClose[]> }
  >();

  /**
   * Computes a day. Call it in the order of the days.
   * @param file undefined if the day file is unknown.
   * @param compute receives the closes of the day before: none if that day was not computed, or failed.
   */
  async run<Result extends { readonly closes: readonly InstrumentClose[] }>(
    file: DayFile | undefined,
    compute: (previous: readonly InstrumentClose[]) => Promise<Result>,
  ): Promise<Result> {
    if (!file) return compute([]);
    const { exchange, dataType, symbol, day } = file;
    const series = JSON.stringify([exchange, dataType, symbol]);
    const last = this.#lastDays.get(series);
    const computed = last?.day === day - 1 ? last.closes.then(compute) : compute([]);
    const closes = computed.then(
      (result) => result.closes,
      () => [],
    );
    this.#lastDays.set(series, { day, closes });
    return computed;
  }
}

import type { Day } from '../../day-files/day.js';
import type { DayFile } from '../../day-files/day-file.js';
import type { InstrumentClose } from '../../market/day-file/computed-stream.js';

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

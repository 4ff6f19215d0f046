import type { DerivativeTickerRecord } from '../../market/records/message-record.js';
import type { EventTime } from './parse-values.js';

export type TickerValues = Partial<
  Pick<
    DerivativeTickerRecord,
    | 'lastPrice'
    | 'openInterest'
    | 'fundingRate'
    | 'fundingTimestamp'
    | 'predictedFundingRate'
    | 'indexPrice'
    | 'markPrice'
  >
>;

/**
 * The last known values of a symbol's ticker since the connection began
 * (docs/spec/normalized-messages.md#derivative_ticker): a record is emitted only if a value changes, and
 * contains all of them; its time never goes back.
 */
export class LastTicker {
  readonly #symbol: string;
  #values: TickerValues = {};
  #time: EventTime | undefined;
  #hasChanged = false;

  constructor(symbol: string) {
    this.#symbol = symbol;
  }

  /** @param values values of the message; undefined ones keep their last value. */
  update(values: TickerValues, time: EventTime): DerivativeTickerRecord | undefined {
    this.remember(values);
    if (this.#time === undefined || time.timestamp >= this.#time.timestamp) this.#time = time;
    if (!this.#hasChanged) return undefined;
    this.#hasChanged = false;
    const { timestamp, micros } = this.#time;
    return {
      type: 'derivative_ticker',
      symbol: this.#symbol,
      ...this.#values,
      timestamp,
      micros,
      localTimestamp: time.localTimestamp,
    };
  }

  /** As `update`, for a message that emits no record itself: the next update emits its values. */
  remember(values: TickerValues): void {
    const changes = Object.entries(values).filter(
      ([key, value]) => value !== undefined && value !== this.#values[key as keyof TickerValues],
    );
    if (changes.length === 0) return;
    this.#hasChanged = true;
    this.#values = { ...this.#values, ...Object.fromEntries(changes) };
  }
}

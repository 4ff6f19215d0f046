import type { DerivativeTickerRecord } from '../../market/records/source-record.js';
import type { EventTime } from './parse-values.js';

type TickerValues = Partial<
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
  #stamp: EventTime | undefined;

  constructor(symbol: string) {
    this.#symbol = symbol;
  }

  /** @param values values of the message; undefined ones keep their last value. */
  update(values: TickerValues, stamp: EventTime): DerivativeTickerRecord | undefined {
    const news = Object.entries(values).filter(
      ([key, value]) => value !== undefined && value !== this.#values[key as keyof TickerValues],
    );
    if (this.#stamp === undefined || stamp.timestamp >= this.#stamp.timestamp) this.#stamp = stamp;
    if (news.length === 0) return undefined;
    this.#values = { ...this.#values, ...Object.fromEntries(news) };
    const { timestamp, micros } = this.#stamp;
    return {
      type: 'derivative_ticker',
      symbol: this.#symbol,
      ...this.#values,
      timestamp,
      micros,
      localTimestamp: stamp.localTimestamp,
    };
  }
}

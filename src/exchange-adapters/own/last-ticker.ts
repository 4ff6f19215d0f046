import type { DerivativeTickerRecord } from '../../market/message-record.js';
import type { EventTime } from '../message-fields.js';

const KEYS = [
  'lastPrice',
  'openInterest',
  'fundingRate',
  'fundingTimestamp',
  'predictedFundingRate',
  'indexPrice',
  'markPrice',
] as const;

type TickerFields = Partial<Pick<DerivativeTickerRecord, (typeof KEYS)[number]>>;
/** Values of a ticker message. */
export type TickerValues = { -readonly [Key in keyof TickerFields]: TickerFields[Key] };

/**
 * The last known values of a symbol's ticker since the connection began
 * (docs/spec/normalized-messages.md#derivative_ticker): a record is emitted only if a value changes, and
 * contains all of them; its time never goes back.
 */
class LastTicker {
  readonly #symbol: string;
  readonly #values: TickerValues = {};
  #time: EventTime | undefined;
  #hasChanged = false;

  constructor(symbol: string) {
    this.#symbol = symbol;
  }

  /**
   * @param values values of the message; undefined ones keep their last value.
   * @param time of the message; if it has no event time, the last one remains.
   */
  update(
    values: Readonly<TickerValues>,
    time: EventTime | Pick<EventTime, 'localTimestamp'>,
  ): DerivativeTickerRecord | undefined {
    this.remember(values);
    const { localTimestamp } = time;
    if (isExchangeTime(time) && !(time.timestamp < (this.#time?.timestamp ?? 0))) this.#time = time;
    if (!this.#hasChanged) return undefined;
    this.#hasChanged = false;
    this.#time ??= { timestamp: localTimestamp, micros: true, localTimestamp };
    const { timestamp, micros } = this.#time;
    return {
      type: 'derivative_ticker',
      symbol: this.#symbol,
      ...this.#values,
      timestamp,
      micros,
      localTimestamp,
    };
  }

  /** As `update`, for a message that emits no record itself: the next update emits its values. */
  remember(values: Readonly<TickerValues>): void {
    for (const key of KEYS) {
      const value = values[key];
      if (value === undefined || value === this.#values[key]) continue;
      this.#values[key] = value;
      this.#hasChanged = true;
    }
  }
}

/** Whether a time is the exchange's, which the local time in its place is not. */
function isExchangeTime(time: Partial<EventTime>): time is EventTime {
  return time.timestamp !== undefined && time.timestamp !== time.localTimestamp;
}

/** The last tickers of an exchange's symbols. */
export class LastTickers {
  readonly #tickers = new Map<string, LastTicker>();

  /** The ticker of a symbol, without values if there was none. */
  get(symbol: string): LastTicker {
    const known = this.#tickers.get(symbol);
    if (known) return known;
    const ticker = new LastTicker(symbol);
    this.#tickers.set(symbol, ticker);
    return ticker;
  }
}

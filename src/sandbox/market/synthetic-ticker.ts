import type { MarketClock } from './market-clock.js';
import type { TickerEvent } from './market-event.js';
import type { Random } from './seeded-random.js';
import type { SyntheticInstrument } from './synthetic-instrument.js';

const FUNDING_INTERVAL_US = 8 * 3_600_000_000;
/** Exchanges send changed values only, so that the first tickers of a connection lack the last price. */
const TICKERS_WITHOUT_LAST_PRICE = 2;

/** Generates tickers of a derivative. Some exchanges provide no funding time or predicted rate. */
export class SyntheticTicker {
  #fundingRate: number;
  #openInterest: number;
  #sinceConnect = 0;

  constructor(
    readonly instrument: SyntheticInstrument,
    readonly random: Random,
  ) {
    this.#fundingRate = (random.next() - 0.3) * 0.0004;
    this.#openInterest = 1_000_000 + random.int(500_000_000);
  }

  connect(): void {
    this.#sinceConnect = 0;
  }

  /** @param clock clock at the time of the message. */
  next(clock: MarketClock, bidTicks: number, lastTicks: number | undefined): TickerEvent {
    const { random } = this;
    const { exchange, symbol, ticksPerUnit } = this.instrument;
    this.#fundingRate += (random.next() - 0.5) * 1e-6;
    this.#openInterest = Math.max(1000, this.#openInterest + (random.int(201) - 100) * 10);
    this.#sinceConnect++;
    // Every format has its values from this text, so that they are equal.
    const cells = {
      fundingRate: this.#fundingRate.toFixed(20),
      predictedFundingRate: exchange === 'bitmex' ? (this.#fundingRate / 2).toFixed(9) : '',
    };
    const lastPriceTicks = this.#sinceConnect > TICKERS_WITHOUT_LAST_PRICE ? lastTicks : undefined;
    const indexPrice = (bidTicks - 3 + random.int(7)) / ticksPerUnit;
    const markPrice = ((bidTicks + random.next()) / ticksPerUnit).toFixed(8);
    return {
      type: 'derivative_ticker',
      symbol,
      timestamp: clock.timestamp,
      localTimestamp: clock.localTimestamp,
      fundingTimestamp:
        exchange === 'deribit' || exchange === 'lighter'
          ? undefined
          : Math.ceil(clock.localTimestamp / FUNDING_INTERVAL_US) * FUNDING_INTERVAL_US,
      fundingRate: Number(cells.fundingRate),
      predictedFundingRate:
        cells.predictedFundingRate === '' ? undefined : Number(cells.predictedFundingRate),
      openInterest: this.#openInterest,
      lastPrice: lastPriceTicks === undefined ? undefined : lastPriceTicks / ticksPerUnit,
      indexPrice,
      markPrice: Number(markPrice),
      cells: { ...cells, markPrice },
    };
  }
}

import type { MarketClock } from './market-clock.js';
import type { TickerEvent } from './market-event.js';
import type { SyntheticInstrument } from './synthetic-instrument.js';
import type { Random } from './seeded-random.js';

const FUNDING_INTERVAL_US = 8 * 3_600_000_000;
/** Exchanges tell what changed, so that of a new connection the last price comes later. */
const TICKERS_WITHOUT_LAST_PRICE = 2;

/** Tickers of a derivative; some exchanges never tell a funding time or a predicted rate. */
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

  /** @param clock at the message. */
  next(clock: MarketClock, bidTicks: number, lastTicks: number | undefined): TickerEvent {
    const { random } = this;
    const { exchange, ticksPerUnit } = this.instrument;
    this.#fundingRate += (random.next() - 0.5) * 1e-6;
    this.#openInterest = Math.max(1000, this.#openInterest + (random.int(201) - 100) * 10);
    this.#sinceConnect++;
    return {
      kind: 'ticker',
      timestamp: clock.timestamp,
      localTimestamp: clock.localTimestamp,
      fundingTimestamp:
        exchange === 'deribit' ? undefined : Math.ceil(clock.localTimestamp / FUNDING_INTERVAL_US) * FUNDING_INTERVAL_US,
      fundingRate: this.#fundingRate,
      predictedFundingRate: exchange === 'bitmex' ? this.#fundingRate / 2 : undefined,
      openInterest: this.#openInterest,
      lastTicks: this.#sinceConnect > TICKERS_WITHOUT_LAST_PRICE ? lastTicks : undefined,
      indexTicks: bidTicks - 3 + random.int(7),
      markPrice: (bidTicks + random.next()) / ticksPerUnit,
    };
  }
}

/** What a ticker's numbers are written as, in whatever form: the text alone is the value. */
export function formatTickerValues({ fundingRate, predictedFundingRate, markPrice }: TickerEvent): {
  readonly fundingRate: string;
  readonly predictedFundingRate: string | undefined;
  readonly markPrice: string;
} {
  return {
    fundingRate: fundingRate.toFixed(20),
    predictedFundingRate: predictedFundingRate?.toFixed(9),
    markPrice: markPrice.toFixed(8),
  };
}

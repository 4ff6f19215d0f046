import type { EventOf } from '../dialects/feed-event.js';
import type { OptionSide, OptionSummary, OptionsEvent } from '../market/options-chain.js';

/** The summaries of options in a feed, one an option. */
export function summaryEvents(event: OptionsEvent): readonly EventOf<'option_summary'>[] {
  const { summaries, timestamp, localTimestamp } = event;
  return summaries.map((summary) => ({
    type: 'option_summary',
    symbol: summary.symbol,
    ...valuesOf(summary),
    timestamp,
    localTimestamp,
  }));
}

function valuesOf(
  summary: OptionSummary,
): Omit<EventOf<'option_summary'>, 'type' | 'symbol' | 'timestamp' | 'localTimestamp'> {
  const { bid, ask, greeks } = summary;
  const side = ({ price, amount, iv }: OptionSide): readonly (number | undefined)[] => [
    numberOf(price),
    numberOf(amount),
    numberOf(iv),
  ];
  const [bestBidPrice, bestBidAmount, bestBidIV] = side(bid);
  const [bestAskPrice, bestAskAmount, bestAskIV] = side(ask);
  return {
    optionType: summary.type,
    strikePrice: summary.strike,
    expirationDate: summary.expiration,
    ...{ bestBidPrice, bestBidAmount, bestBidIV, bestAskPrice, bestAskAmount, bestAskIV },
    lastPrice: numberOf(summary.lastPrice),
    openInterest: numberOf(summary.openInterest),
    markPrice: numberOf(summary.markPrice),
    markIV: numberOf(summary.markIv),
    delta: numberOf(greeks.delta),
    gamma: numberOf(greeks.gamma),
    vega: numberOf(greeks.vega),
    theta: numberOf(greeks.theta),
    rho: numberOf(greeks.rho),
    underlyingPrice: numberOf(summary.underlyingPrice),
    underlyingIndex: summary.underlyingIndex,
  };
}

function numberOf(text: string): number | undefined {
  return text === '' ? undefined : Number(text);
}

import type { EventOf } from '../dialects/feed-event.js';
import type { OptionSide, OptionSummary, OptionsEvent } from '../market/simulate-options-chain.js';

/** Converts option summaries to feed events, one per option. */
export function toSummaryEvents(event: OptionsEvent): readonly EventOf<'option_summary'>[] {
  const { summaries, timestamp, localTimestamp } = event;
  return summaries.map((summary) => ({
    type: 'option_summary',
    symbol: summary.symbol,
    ...toSummaryValues(summary),
    timestamp,
    localTimestamp,
  }));
}

function toSummaryValues(
  summary: OptionSummary,
): Omit<EventOf<'option_summary'>, 'type' | 'symbol' | 'timestamp' | 'localTimestamp'> {
  const { bid, ask, greeks } = summary;
  const side = ({ price, amount, iv }: OptionSide): readonly (number | undefined)[] => [
    parseOptionalNumber(price),
    parseOptionalNumber(amount),
    parseOptionalNumber(iv),
  ];
  const [bestBidPrice, bestBidAmount, bestBidIV] = side(bid);
  const [bestAskPrice, bestAskAmount, bestAskIV] = side(ask);
  return {
    optionType: summary.type,
    strikePrice: summary.strike,
    expirationDate: summary.expiration,
    ...{ bestBidPrice, bestBidAmount, bestBidIV, bestAskPrice, bestAskAmount, bestAskIV },
    lastPrice: parseOptionalNumber(summary.lastPrice),
    openInterest: parseOptionalNumber(summary.openInterest),
    markPrice: parseOptionalNumber(summary.markPrice),
    markIV: parseOptionalNumber(summary.markIv),
    delta: parseOptionalNumber(greeks.delta),
    gamma: parseOptionalNumber(greeks.gamma),
    vega: parseOptionalNumber(greeks.vega),
    theta: parseOptionalNumber(greeks.theta),
    rho: parseOptionalNumber(greeks.rho),
    underlyingPrice: parseOptionalNumber(summary.underlyingPrice),
    underlyingIndex: summary.underlyingIndex,
  };
}

function parseOptionalNumber(text: string): number | undefined {
  return text === '' ? undefined : Number(text);
}

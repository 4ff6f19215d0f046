import { formatTickerValues } from '../market/synthetic-ticker.js';
import { type CreateLineWriter, formatLineHead } from './csv-lines.js';

/** Writes tickers. Values that the exchange does not provide are empty cells. */
export const createTickerWriter: CreateLineWriter = (instrument) => (event) => {
  if (event.kind !== 'ticker') return '';
  const price = (ticks: number | undefined): number | '' =>
    ticks === undefined ? '' : ticks / instrument.ticksPerUnit;
  const { fundingTimestamp = '', openInterest, lastTicks, indexTicks } = event;
  const { fundingRate, predictedFundingRate = '', markPrice } = formatTickerValues(event);
  return (
    `${formatLineHead(instrument, event)}${fundingTimestamp},${fundingRate},${predictedFundingRate},` +
    `${openInterest},${price(lastTicks)},${price(indexTicks)},${markPrice}\n`
  );
};

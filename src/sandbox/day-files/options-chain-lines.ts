import type { OptionSide, OptionSummary, OptionsEvent } from '../market/simulate-options-chain.js';
import { type CsvLines, formatLineHead } from './csv-lines.js';

/** Generates a row for each summary. Values that the exchange does not provide are empty cells. */
export function* generateOptionsChainLines(
  exchange: string,
  events: Iterable<OptionsEvent>,
): Generator<CsvLines> {
  for (const { summaries, ...times } of events) {
    const rows = summaries.map(
      (summary) =>
        `${formatLineHead({ exchange, symbol: summary.symbol }, times)}${formatSummary(summary)}\n`,
    );
    yield { text: rows.join(''), localTimestamp: times.localTimestamp };
  }
}

function formatSummary(summary: OptionSummary): string {
  const { type, strike, expiration, openInterest, lastPrice, bid, ask, markPrice, markIv } = summary;
  const { underlyingIndex, underlyingPrice, greeks } = summary;
  const { delta, gamma, vega, theta, rho } = greeks;
  return (
    `${type},${strike},${expiration},${openInterest},${lastPrice},${formatSide(bid)},${formatSide(ask)},` +
    `${markPrice},${markIv},${underlyingIndex},${underlyingPrice},${delta},${gamma},${vega},${theta},${rho}`
  );
}

function formatSide({ price, amount, iv }: OptionSide): string {
  return `${price},${amount},${iv}`;
}

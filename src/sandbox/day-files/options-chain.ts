import type { OptionSide, OptionSummary, OptionsEvent } from '../market/options-chain.js';
import { type CsvLines, formatLineHead } from './csv-lines.js';

/** A row for each summary; what an exchange doesn't tell is an empty cell. */
export function* optionsChainLines(exchange: string, events: Iterable<OptionsEvent>): Generator<CsvLines> {
  for (const { summaries, ...times } of events) {
    const rows = summaries.map(
      (summary) => `${formatLineHead({ exchange, symbol: summary.symbol }, times)}${cellsOf(summary)}\n`,
    );
    yield { text: rows.join(''), localTimestamp: times.localTimestamp };
  }
}

function cellsOf(summary: OptionSummary): string {
  const { type, strike, expiration, openInterest, lastPrice, bid, ask, markPrice, markIv } = summary;
  const { underlyingIndex, underlyingPrice, greeks } = summary;
  const { delta, gamma, vega, theta, rho } = greeks;
  return (
    `${type},${strike},${expiration},${openInterest},${lastPrice},${sideCells(bid)},${sideCells(ask)},` +
    `${markPrice},${markIv},${underlyingIndex},${underlyingPrice},${delta},${gamma},${vega},${theta},${rho}`
  );
}

function sideCells({ price, amount, iv }: OptionSide): string {
  return `${price},${amount},${iv}`;
}

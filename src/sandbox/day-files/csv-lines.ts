import type { MarketEvent } from '../market/market-event.js';
import type { SyntheticInstrument } from '../market/synthetic-instrument.js';

/** Consecutive CSV lines, each with its LF. */
export interface CsvLines {
  readonly text: string;
  /** Microseconds. */
  readonly localTimestamp: number;
}

/** Returns the lines that an event adds to a day file; empty for most events. */
export type CsvLineWriter = (event: MarketEvent) => string;

export type CreateLineWriter = (instrument: SyntheticInstrument) => CsvLineWriter;

/** Generates the lines of one symbol's day file. */
export function* generateLines(events: Iterable<MarketEvent>, write: CsvLineWriter): Generator<CsvLines> {
  for (const event of events) {
    const text = write(event);
    if (text !== '') yield { text, localTimestamp: event.localTimestamp };
  }
}

/** The first four columns of every line, and a comma. */
export function formatLineHead(
  { exchange, symbol }: { readonly exchange: string; readonly symbol: string },
  { timestamp, localTimestamp }: { readonly timestamp: number; readonly localTimestamp: number },
): string {
  return `${exchange},${symbol},${timestamp},${localTimestamp},`;
}

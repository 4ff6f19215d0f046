import type { MarketEvent } from '../market/market-event.js';
import type { SyntheticInstrument } from '../market/synthetic-instrument.js';

/** CSV lines that belong together, each with its LF. */
export interface CsvLines {
  readonly text: string;
  /** Microseconds. */
  readonly localTimestamp: number;
}

/** Gives the lines that an event adds to a day file; most events add none. */
export type CsvLineWriter = (event: MarketEvent) => string;

export type CreateLineWriter = (instrument: SyntheticInstrument) => CsvLineWriter;

/** The lines of one symbol's day file. */
export function* generateLines(events: Iterable<MarketEvent>, write: CsvLineWriter): Generator<CsvLines> {
  for (const event of events) {
    const text = write(event);
    if (text !== '') yield { text, localTimestamp: event.localTimestamp };
  }
}

/** The four columns that every line begins with, and a comma. */
export function formatLineHead(
  { exchange, symbol }: { readonly exchange: string; readonly symbol: string },
  { timestamp, localTimestamp }: { readonly timestamp: number; readonly localTimestamp: number },
): string {
  return `${exchange},${symbol},${timestamp},${localTimestamp},`;
}

import type { DataType } from '../../day-files/data-types.js';
import { GROUPED_SYMBOLS } from '../../day-files/dataset-symbol.js';
import type { Day } from '../../day-files/day.js';
import type { FeedEvent } from '../simulation/market-event.js';
import {
  QUIET_SYMBOL,
  type SandboxDatasetSymbol,
  type SandboxExchange,
} from '../simulation/synthetic-exchanges.js';

/** One market of an exchange in its feed: a symbol, or the options chain. */
export interface FeedMarket {
  readonly exchange: string;
  /** Dataset symbol. */
  readonly symbol: string;
  /** Events that the feed contains: those of the market's day files. */
  readonly eventTypes: EventTypes;
}

export type EventTypes = ReadonlySet<FeedEvent['type']>;

const EVENT_TYPE_BY_DATA_TYPE: Partial<Readonly<Record<DataType, FeedEvent['type']>>> = {
  trades: 'trade',
  incremental_book_L2: 'book_change',
  quotes: 'book_ticker',
  derivative_ticker: 'derivative_ticker',
  liquidations: 'liquidation',
  options_chain: 'option_summary',
};

/** The markets listed on a given day. */
export function listMarkets({ id, datasets }: SandboxExchange, day: Day): readonly FeedMarket[] {
  const start = new Date(day * 86_400_000).toISOString();
  // For a symbol that is still listed, `availableTo` is the end of the export, but its feed continues.
  const isListed = ({ availableSince, availableTo = '' }: SandboxDatasetSymbol): boolean =>
    availableSince <= start && (start < availableTo || availableTo === datasets?.exportedUntil);
  return (datasets?.symbols ?? [])
    .filter((symbol) => symbol.id !== QUIET_SYMBOL && isListed(symbol))
    .map((symbol) => ({ exchange: id, symbol: symbol.id, eventTypes: listEventTypes(symbol) }))
    .filter(({ eventTypes }) => eventTypes.size > 0);
}

/**
 * A grouped symbol repeats others, except for its options chain. Best prices of an option are in its summaries, and the
 * tradable options have no summaries here.
 */
function listEventTypes({ id, type, dataTypes }: SandboxDatasetSymbol): EventTypes {
  const eventTypes = new Set(
    Object.entries(EVENT_TYPE_BY_DATA_TYPE).flatMap(([dataType, eventType]) =>
      dataTypes.includes(dataType) ? [eventType] : [],
    ),
  );
  if (GROUPED_SYMBOLS.has(id)) return new Set(eventTypes.has('option_summary') ? ['option_summary'] : []);
  if (type === 'option') eventTypes.delete('book_ticker');
  return eventTypes;
}

/**
 * Whether a market may have lines that filters select. A filter's symbol is a prefix of the dataset symbol, in upper or
 * lower case: `btcusdt`, and `BTC-USDT`, the index of a swap.
 */
export function mayBeSelected({ symbol, eventTypes }: FeedMarket, filters: readonly LineFilter[]): boolean {
  const matches = (filterSymbol: string): boolean =>
    eventTypes.has('option_summary')
      ? /-[CP]$/i.test(filterSymbol)
      : symbol.toUpperCase().startsWith(filterSymbol.toUpperCase());
  return (
    filters.length === 0 ||
    filters.some(({ symbols }) => !symbols || symbols.length === 0 || symbols.some(matches))
  );
}

const US_PER_SECOND = 1_000_000;

/** A line of the raw data API (`docs/spec/raw-feeds-api.md#lines`). */
export interface FeedLine {
  /** Microseconds. */
  readonly localTimestamp: number;
  readonly channel: string;
  /** The symbol as in filters of the channel; undefined in channels without symbols. */
  readonly symbol: string | undefined;
  /** The line as it is sent: 28 bytes of local time, a space, the exchange's own JSON, LF. */
  readonly text: string;
}

/** A filter of a request. Without symbols, it selects the whole channel. */
export interface LineFilter {
  readonly channel: string;
  readonly symbols?: readonly string[] | null;
}

/** Whether filters select a line. An empty list selects everything. */
export function isSelected(
  { channel, symbol }: Pick<FeedLine, 'channel' | 'symbol'>,
  filters: readonly LineFilter[],
): boolean {
  return (
    filters.length === 0 ||
    filters.some(
      (filter) =>
        filter.channel === channel &&
        (!filter.symbols || filter.symbols.length === 0 || filter.symbols.some((id) => id === symbol)),
    )
  );
}

/** @returns a function that formats a line, with its LF. It caches the text of the current second. */
export function createFeedLineWriter(): (localTimestamp: number, message: string) => string {
  let second = Number.NaN;
  let text = '';
  return (localTimestamp, message) => {
    const current = Math.floor(localTimestamp / US_PER_SECOND);
    if (current !== second) {
      second = current;
      text = new Date(current * 1000).toISOString().slice(0, 20);
    }
    const micros = String(localTimestamp - current * US_PER_SECOND).padStart(6, '0');
    // The last digit, a tenth of a microsecond, is invented but the same for the same time.
    return `${text}${micros}${(localTimestamp * 7) % 10}Z ${message}\n`;
  };
}

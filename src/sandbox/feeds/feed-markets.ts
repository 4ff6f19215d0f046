import type { DataType } from '../../day-files/data-types.js';
import { GROUPED_SYMBOLS } from '../../day-files/dataset-symbol.js';
import type { Day } from '../../day-files/day.js';
import { QUIET_SYMBOL } from '../market/exchange-outlines.js';
import type { FeedEvent } from '../market/market-event.js';
import type { SandboxDatasetSymbol, SandboxExchange } from '../market/synthetic-exchanges.js';
import type { LineFilter } from './feed-line.js';

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

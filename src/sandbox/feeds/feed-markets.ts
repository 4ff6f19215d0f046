import type { DataType } from '../../dataset/data-types.js';
import { GROUPED_SYMBOLS } from '../../dataset/dataset-symbol.js';
import type { Day } from '../../dataset/day.js';
import type { FeedEvent } from '../dialects/feed-event.js';
import { QUIET_SYMBOL } from '../market/exchange-outlines.js';
import type { SandboxDatasetSymbol, SandboxExchange } from '../market/synthetic-exchanges.js';
import type { LineFilter } from './feed-line.js';

/** One market of an exchange in its feed: a symbol, or the chain of its options. */
export interface FeedMarket {
  readonly exchange: string;
  /** Dataset symbol. */
  readonly symbol: string;
  /** What is told of it: what its day files tell. */
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

/** The markets that are listed on a day. */
export function listMarkets({ id, datasets }: SandboxExchange, day: Day): readonly FeedMarket[] {
  const start = new Date(day * 86_400_000).toISOString();
  // The end of a symbol that is still listed is the export's; its feed goes on.
  const isThere = ({ availableSince, availableTo = '' }: SandboxDatasetSymbol): boolean =>
    availableSince <= start && (start < availableTo || availableTo === datasets?.exportedUntil);
  return (datasets?.symbols ?? [])
    .filter((symbol) => symbol.id !== QUIET_SYMBOL && isThere(symbol))
    .map((symbol) => ({ exchange: id, symbol: symbol.id, eventTypes: listEventTypes(symbol) }))
    .filter(({ eventTypes }) => eventTypes.size > 0);
}

/**
 * A grouped symbol repeats others, but for its chain of options. An option's best prices come in summaries, which those
 * that can be traded here have not.
 */
function listEventTypes({ id, type, dataTypes }: SandboxDatasetSymbol): EventTypes {
  const told = new Set(
    Object.entries(EVENT_TYPE_BY_DATA_TYPE).flatMap(([dataType, event]) => (dataTypes.includes(dataType) ? [event] : [])),
  );
  if (GROUPED_SYMBOLS.has(id)) return new Set(told.has('option_summary') ? ['option_summary'] : []);
  if (type === 'option') told.delete('book_ticker');
  return told;
}

/**
 * Whether a market may have lines that filters select. Symbols of filters begin dataset symbols, in any case of
 * letters: `btcusdt`, and `BTC-USDT`, the index of a swap.
 */
export function mayBeSelected({ symbol, eventTypes }: FeedMarket, filters: readonly LineFilter[]): boolean {
  const fits = (wanted: string): boolean =>
    eventTypes.has('option_summary')
      ? /-[CP]$/i.test(wanted)
      : symbol.toUpperCase().startsWith(wanted.toUpperCase());
  return (
    filters.length === 0 ||
    filters.some(({ symbols }) => !symbols || symbols.length === 0 || symbols.some(fits))
  );
}

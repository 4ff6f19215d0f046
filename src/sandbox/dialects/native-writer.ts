import { createBinanceFuturesDialect } from './binance-futures.js';
import { createBitmexDialect } from './bitmex.js';
import { createBybitDialect } from './bybit.js';
import { createCoinbaseDialect } from './coinbase.js';
import { createDeribitDialect } from './deribit.js';
import type { Dialect, FeedEvent, NativeMessage } from './feed-event.js';
import { createOkexSwapDialect } from './okex-swap.js';

/** The exchanges whose own messages can be written. */
export const DIALECTS: Readonly<Record<string, () => Dialect>> = {
  bitmex: createBitmexDialect,
  'binance-futures': createBinanceFuturesDialect,
  deribit: createDeribitDialect,
  bybit: createBybitDialect,
  'okex-swap': createOkexSwapDialect,
  coinbase: createCoinbaseDialect,
};

/**
 * Writes an exchange's own messages of what happens on its markets: normalized, they tell the same again. It keeps what
 * a connection keeps (ids of levels, sequences, values told last): after a break there is a new one, whose books begin
 * with snapshots.
 */
export interface NativeWriter {
  /** The messages of an event, in their order; none where the exchange doesn't tell such events. */
  write(event: FeedEvent): readonly NativeMessage[];
}

/** A writer of an exchange's messages; undefined for one that is none of `DIALECTS`. */
export function createNativeWriter(exchange: string): NativeWriter | undefined {
  const dialect = DIALECTS[exchange]?.();
  return dialect && { write: (event) => writeEvent(dialect, event) };
}

function writeEvent(dialect: Dialect, event: FeedEvent): readonly NativeMessage[] {
  switch (event.type) {
    case 'trade':
      return dialect.trade?.(event) ?? [];
    case 'liquidation':
      return dialect.liquidation?.(event) ?? [];
    case 'book_change':
      return dialect.book_change?.(event) ?? [];
    case 'derivative_ticker':
      return dialect.derivative_ticker?.(event) ?? [];
    case 'option_summary':
      return dialect.option_summary?.(event) ?? [];
    case 'book_ticker':
      return dialect.book_ticker?.(event) ?? [];
  }
}

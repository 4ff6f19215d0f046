import type { FeedEvent } from '../simulation/market-event.js';
import { createBinanceFuturesDialect } from './binance-futures.js';
import { createBitmexDialect } from './bitmex.js';
import { createBybitDialect } from './bybit.js';
import { createCoinbaseDialect } from './coinbase.js';
import { createDeribitDialect } from './deribit.js';
import type { Dialect, NativeMessage } from './dialect.js';
import { createLighterDialect } from './lighter.js';
import { createOkexSwapDialect } from './okex-swap.js';

/** Exchanges whose native messages can be written. */
export const DIALECTS: Readonly<Record<string, () => Dialect>> = {
  bitmex: createBitmexDialect,
  'binance-futures': createBinanceFuturesDialect,
  deribit: createDeribitDialect,
  bybit: createBybitDialect,
  'okex-swap': createOkexSwapDialect,
  coinbase: createCoinbaseDialect,
  lighter: createLighterDialect,
};

/**
 * Writes an exchange's native messages for market events. Normalizing them yields the same events. It holds the state
 * of one connection (ids of levels, sequence numbers, last values): after a disconnect, create a new writer, whose books
 * start with snapshots.
 */
export interface NativeWriter {
  /** The messages of an event, in order; none if the exchange does not send such events. */
  write(event: FeedEvent): readonly NativeMessage[];
}

/** Undefined for an exchange that is not in `DIALECTS`. */
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

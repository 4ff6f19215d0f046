import type { FeedEvent } from '../simulation/market-event.js';
import { createBinanceFuturesWriters } from './binance-futures.js';
import { createBitmexWriters } from './bitmex.js';
import { createBybitWriters } from './bybit.js';
import { createCoinbaseWriters } from './coinbase.js';
import { createDeribitWriters } from './deribit.js';
import { createLighterWriters } from './lighter.js';
import type { MessageWriters, NativeMessage } from './message-writers.js';
import { createOkexSwapWriters } from './okex-swap.js';

/** Exchanges whose native messages can be written. */
export const MESSAGE_WRITERS: Readonly<Record<string, () => MessageWriters>> = {
  bitmex: createBitmexWriters,
  'binance-futures': createBinanceFuturesWriters,
  deribit: createDeribitWriters,
  bybit: createBybitWriters,
  'okex-swap': createOkexSwapWriters,
  coinbase: createCoinbaseWriters,
  lighter: createLighterWriters,
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

/** Undefined for an exchange that is not in `MESSAGE_WRITERS`. */
export function createNativeWriter(exchange: string): NativeWriter | undefined {
  const writers = MESSAGE_WRITERS[exchange]?.();
  return writers && { write: (event) => writeEvent(writers, event) };
}

function writeEvent(writers: MessageWriters, event: FeedEvent): readonly NativeMessage[] {
  switch (event.type) {
    case 'trade':
      return writers.trade?.(event) ?? [];
    case 'liquidation':
      return writers.liquidation?.(event) ?? [];
    case 'book_change':
      return writers.book_change?.(event) ?? [];
    case 'derivative_ticker':
      return writers.derivative_ticker?.(event) ?? [];
    case 'option_summary':
      return writers.option_summary?.(event) ?? [];
    case 'book_ticker':
      return writers.book_ticker?.(event) ?? [];
  }
}

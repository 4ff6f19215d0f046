import type { PriceLevel } from '../../market/messages.js';
import { eventTimeFromMs, toFields, toFieldsList } from '../message-fields.js';
import { mapSymbols, type Normalizer } from '../normalizer.js';

/** Coins traded in thousands: the exchange writes a small k before them. */
const THOUSANDS = /^k(PEPE|SHIB|BONK|FLOKI|LUNC|DOGS|NEIRO)$/i;

/**
 * Books of Hyperliquid's fast order book: each message is a whole book (Hyperliquid API, Subscriptions,
 * l2Book with `fast`). The exchange sends it in the channel l2Book with `fast` in its data; the recorded feed
 * calls it fastBook.
 */
export function hyperliquidBooks(): Normalizer {
  return {
    kind: 'hyperliquid-fast-books',
    filters: (symbols) => [{ channel: 'fastBook', ...mapSymbols(symbols, toCoin) }],
    read(message, localTimestamp, emit) {
      const { channel, data } = toFields(message);
      const { coin, time, levels, fast } = toFields(data);
      if (channel !== 'fastBook' && !(channel === 'l2Book' && fast === true)) return;
      const [bids, asks] = Array.isArray(levels) ? (levels as readonly unknown[]) : [];
      emit({
        type: 'book_change',
        symbol: String(coin).toUpperCase(),
        isSnapshot: true,
        bids: parseHyperliquidLevels(bids),
        asks: parseHyperliquidLevels(asks),
        ...eventTimeFromMs(time, localTimestamp),
      });
    },
  };
}

function toCoin(symbol: string): string {
  return THOUSANDS.test(symbol) ? `k${symbol.slice(1).toUpperCase()}` : symbol;
}

function parseHyperliquidLevels(side: unknown): readonly PriceLevel[] {
  return toFieldsList(side).map(({ px, sz }) => ({ price: Number(px), amount: Number(sz) }));
}

import {
  type EventTime,
  eventTimeFromNanos,
  type MessageFields,
  parseLevelPairs,
  parseNonZeroNumber,
  toFields,
} from '../message-fields.js';
import { type EmitRecord, type Normalizer, toUpperCaseSymbols } from '../normalizer.js';
import { createBookTicker } from './book-tickers.js';

/**
 * Gemini's WebSocket API of July 2026 (developer.gemini.com, WebSocket, Streams). Messages do not name their
 * stream: trades have an id `t`, book tickers an amount `B`, changes of the book the event `depthUpdate`.
 * Numbers are text, times nanoseconds, symbols in lower case. `m` of a trade: the buyer was the maker.
 */
export function geminiTrades(): Normalizer {
  return geminiNormalizer('trade', ({ t, p, q, m }, { symbol, eventTime }, emit) => {
    if (t === undefined) return;
    emit({
      type: 'trade',
      symbol,
      id: String(t),
      price: Number(p),
      amount: Number(q),
      side: m === true ? 'sell' : 'buy',
      ...eventTime,
    });
  });
}

/**
 * The first message of a symbol on a connection is its whole book; nothing in it says so. After a disconnect of
 * the collector, there are new normalizers.
 */
export function geminiBooks(): Normalizer {
  const symbolsWithSnapshot = new Set<string>();
  return geminiNormalizer('depth', ({ e, b, a }, { symbol, eventTime }, emit) => {
    if (e !== 'depthUpdate') return;
    const isSnapshot = !symbolsWithSnapshot.has(symbol);
    symbolsWithSnapshot.add(symbol);
    emit({
      type: 'book_change',
      symbol,
      isSnapshot,
      bids: parseLevelPairs(b),
      asks: parseLevelPairs(a),
      ...eventTime,
    });
  });
}

export function geminiBookTickers(): Normalizer {
  return geminiNormalizer('bookTicker', ({ b, B, a, A }, { symbol, eventTime }, emit) => {
    if (B === undefined) return;
    emit(createBookTicker(symbol, [a, A], [b, B], eventTime, parseNonZeroNumber));
  });
}

interface GeminiContext {
  readonly symbol: string;
  readonly eventTime: EventTime;
}

function geminiNormalizer(
  channel: string,
  read: (fields: MessageFields, context: GeminiContext, emit: EmitRecord) => void,
): Normalizer {
  return {
    kind: `gemini-v3-${channel}`,
    filters: (symbols) => [{ channel, ...toUpperCaseSymbols(symbols) }],
    // A book ticker without sides, and the state of a market, have a symbol only.
    handles: (message) => typeof toFields(message)['s'] === 'string',
    read(message, localTimestamp, emit) {
      const fields = toFields(message);
      const { s, E } = fields;
      if (typeof s !== 'string') return;
      read(fields, { symbol: s.toUpperCase(), eventTime: eventTimeFromNanos(E, localTimestamp) }, emit);
    },
  };
}

import type { Normalizer } from '../normalizer.js';
import { type BookTextForm, createBookTextReader, type NumberedUpdate } from './book-text-reader.js';

const QUOTED = { isQuoted: true, hasAction: false };

/** Updates of the spot market and of futures, which have more fields. */
const BINANCE: BookTextForm = {
  message:
    '{"stream":"<source>@depth<cell>","data":{"e":"depthUpdate","E":<time>,("T":<count>,)?"s":"<symbol>",' +
    '"U":<count>,"u":<update>,("pu":<count>,)?"b":<bids>,"a":<asks>}}',
  levels: QUOTED,
};
const BINANCE_CHANNELS = { depth: BINANCE };

/** @param times the kind and the time, whose order differs between markets. */
function bybit(depth: number, times: string): Readonly<Record<string, BookTextForm>> {
  const message =
    `{"topic":"orderbook.${depth}.<cell>",${times},"data":{"s":"<symbol>","b":<bids>,"a":<asks>,` +
    '"u":<count>,"seq":<count>}(,"cts":<count>)?}';
  return { [`orderbook.${depth}`]: { message, levels: QUOTED } };
}
const BYBIT_TIMES = '"type":"<kind>","ts":<ms>';

function okx(channel: string): Readonly<Record<string, BookTextForm>> {
  const message =
    `{"arg":{"channel":"${channel}","instId":"<symbol>"},"action":"<kind>","data":[{"asks":<asks>,"bids":<bids>,` +
    '"ts":"<ms>"(,"(checksum|seqId|prevSeqId)":<integer>)*}]}';
  return { [channel]: { message, levels: QUOTED } };
}
const OKX = { ...okx('books-l2-tbt'), ...okx('books') };

/** Changes only: without the number of the previous change, a message is a snapshot. */
const DERIBIT: BookTextForm = {
  message:
    '{"jsonrpc":"2.0","method":"subscription","params":{"channel":"book.<cell>","data":{("type":"change",)?' +
    '"timestamp":<ms>,"prev_change_id":<positive>,"instrument_name":"<upperSymbol>","change_id":<count>,' +
    '"bids":<bids>,"asks":<asks>}}}',
  levels: { isQuoted: false, hasAction: true },
};

/** Usual forms of book messages, by exchange and channel. */
export const BOOK_TEXT_FORMS: Readonly<Record<string, Readonly<Record<string, BookTextForm>>>> = {
  binance: BINANCE_CHANNELS,
  'binance-delivery': BINANCE_CHANNELS,
  'binance-futures': BINANCE_CHANNELS,
  'binance-jersey': BINANCE_CHANNELS,
  'binance-us': BINANCE_CHANNELS,
  bybit: bybit(50, BYBIT_TIMES),
  'bybit-options': bybit(25, BYBIT_TIMES),
  'bybit-spot': bybit(50, '"ts":<ms>,"type":"<kind>"'),
  deribit: { book: DERIBIT },
  okex: OKX,
  'okex-futures': OKX,
  'okex-options': OKX,
  'okex-swap': OKX,
};

/**
 * Lets a normalizer of book changes read messages in the exchange's usual form from text; all others are parsed
 * as before. Where updates are numbered, the normalizer first aligns them with a snapshot, so an update is
 * read from text only if the normalizer emitted an earlier one of the same book.
 */
export function withBookText(exchange: string, normalizer: Normalizer): Normalizer {
  const forms = BOOK_TEXT_FORMS[exchange] ?? {};
  const channel = normalizer.filters(undefined).find(({ channel }) => channel in forms)?.channel;
  const form = channel === undefined ? undefined : forms[channel];
  if (form === undefined) return normalizer;
  const readBookText = createBookTextReader(form);
  /** The first aligned update of each source, and its symbol. */
  const aligned = new Map<string, { readonly symbol: string; readonly number: number }>();
  /** An update in the usual form that the normalizer reads next. */
  let next: NumberedUpdate | undefined;
  return {
    ...normalizer,
    readText(text, localTimestamp, emit) {
      const book = readBookText(text, localTimestamp);
      if (book === undefined) return false;
      const { record, update } = book;
      const first = update && aligned.get(update.source);
      if (update && (first?.symbol !== record.symbol || update.number < first.number)) {
        next = update;
        return false;
      }
      emit(record);
      return true;
    },
    read(message, localTimestamp, emit) {
      const update = next;
      next = undefined;
      normalizer.read(message, localTimestamp, (record) => {
        // A part of a text keeps the memory of the whole text, so the source is copied.
        if (update && record.type === 'book_change' && !record.isSnapshot)
          aligned.set(Buffer.from(update.source).toString(), {
            symbol: record.symbol,
            number: update.number,
          });
        emit(record);
      });
    },
  };
}

import type { BookTextForm } from './book-text-reader.js';

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

import type { Random } from '../../../src/sandbox/simulation/seeded-random.js';
import { pick } from '../../format/fuzz/random-rows.js';

/** Values in place of usual ones, many of which are invalid JSON. */
const UNUSUAL = [
  '0',
  '-1',
  '007',
  '1.',
  '.5',
  '1e3',
  '""',
  '" 5"',
  '"1e-3"',
  '"0x1"',
  'null',
  '[]',
  '"a\\"b"',
];

/** The parts of a message; all are JSON text. */
interface BookParts {
  readonly bids: string;
  readonly asks: string;
  readonly symbol: string;
  /** The symbol without quotes. */
  readonly name: string;
  readonly time: string;
  readonly isSnapshot: boolean;
  /** Numbers of the previous update and of this one. */
  readonly previous: number;
  readonly update: number;
  /** A count. */
  readonly count: string;
}

/**
 * Creates a writer of an exchange's book messages: mostly in the usual form, and in the order of a connection.
 * @param share of unusual values; by default drawn for the connection.
 */
export function createBookWriter(
  random: Random,
  exchange: string,
  start: number,
  share = pick(random, [0, 0, 0.02, 0.1]),
): () => string {
  const write = WRITERS[exchange.replace(/^(binance|okex)-.*/, '$1')] ?? binanceBook;
  const isQuoted = exchange !== 'deribit';
  const actions = exchange === 'deribit' ? ['"new",', '"change",', '"delete",'] : [''];
  const more = exchange.startsWith('okex') ? [',"0","3"'] : ['', '', ',"5"'];
  const odd = (usual: string): string => (random.chance(share) ? pick(random, UNUSUAL) : usual);
  const number = (): string => {
    const text = `${random.int(10 ** random.int(8))}${random.chance(0.8) ? `.${random.int(10 ** random.int(12))}` : ''}`;
    return odd(isQuoted ? `"${text}"` : text);
  };
  const level = (): string => {
    const action = pick(random, actions);
    const amount = action === '"delete",' && random.chance(0.95) ? '0.0' : number();
    return `[${action}${number()},${amount}${random.chance(0.9) ? more[0] : pick(random, more)}]`;
  };
  const side = (): string => odd(`[${Array.from({ length: random.int(4) }, level).join()}]`);
  const symbols = ['BTCUSDT', 'BTC-PERPETUAL', 'BTC-USDT', '币安人生USDT', 'BTC-27DEC24-100000-C'];
  const [first = '', second = ''] = [pick(random, symbols), pick(random, symbols)];
  let update = random.int(1e9);
  let isFirst = true;
  return () => {
    const name = random.chance(0.8) ? first : second;
    const previous = update;
    update += random.chance(0.05) ? -5 : random.int(3);
    const isSnapshot = random.chance(isFirst ? 0.7 : 0.1);
    isFirst = false;
    const time = odd(String(random.chance(0.1) ? start * 1000 + 5 : start + random.int(1e6)));
    const common = { name, symbol: odd(`"${name}"`), time, isSnapshot, previous, update };
    return write({ ...common, bids: side(), asks: side(), count: odd(String(random.int(1e9))) }, random);
  };
}

type WriteBook = (parts: BookParts, random: Random) => string;

const WRITERS: Readonly<Record<string, WriteBook>> = {
  binance: binanceBook,
  bybit: (parts) => bybitBook(50, parts, `"type":${bybitKind(parts)},"ts":${parts.time}`),
  'bybit-options': (parts) => bybitBook(25, parts, `"type":${bybitKind(parts)},"ts":${parts.time}`),
  'bybit-spot': (parts) => bybitBook(50, parts, `"ts":${parts.time},"type":${bybitKind(parts)}`),
  okex: okexBook,
  deribit: deribitBook,
};

function binanceBook(parts: BookParts, random: Random): string {
  const { name, symbol, time, bids, asks, isSnapshot, previous, update, count } = parts;
  const stream = name.toLowerCase();
  if (isSnapshot) {
    const times = random.chance(0.5) ? `"E":${time},"T":${time},` : '';
    const data = `{"lastUpdateId":${previous},${times}"bids":${bids},"asks":${asks}}`;
    return `{"stream":"${stream}@depthSnapshot","generated":true,"data":${data}}`;
  }
  const [T, pu] = random.chance(0.5) ? [`"T":${count},`, `"pu":${previous},`] : ['', ''];
  const numbers = `"U":${previous},"u":${update + 1},${pu}`;
  const channel = pick(random, ['depth@100ms', 'depth@0ms', 'depth']);
  return `{"stream":"${stream}@${channel}","data":{"e":"depthUpdate","E":${time},${T}"s":${symbol},${numbers}"b":${bids},"a":${asks}}}`;
}

function bybitKind({ isSnapshot }: BookParts): string {
  return isSnapshot ? '"snapshot"' : '"delta"';
}

function bybitBook(
  depth: number,
  { name, symbol, bids, asks, count, time }: BookParts,
  times: string,
): string {
  const cts = time.endsWith('5') ? '' : `,"cts":${count}`;
  return `{"topic":"orderbook.${depth}.${name}",${times},"data":{"s":${symbol},"b":${bids},"a":${asks},"u":${count},"seq":1}${cts}}`;
}

function okexBook({ symbol, bids, asks, count, time, isSnapshot }: BookParts, random: Random): string {
  const channel = pick(random, ['books-l2-tbt', 'books', 'books5']);
  const action = isSnapshot ? '"snapshot"' : '"update"';
  const ids = random.chance(0.5) ? `,"prevSeqId":-1,"seqId":${count}` : '';
  return `{"arg":{"channel":"${channel}","instId":${symbol}},"action":${action},"data":[{"asks":${asks},"bids":${bids},"ts":"${time}","checksum":-${count}${ids}}]}`;
}

function deribitBook(parts: BookParts, random: Random): string {
  const { name, symbol, time, bids, asks, isSnapshot, count, previous, update } = parts;
  const type = random.chance(0.7) ? `"type":${isSnapshot ? '"snapshot"' : '"change"'},` : '';
  const id = isSnapshot ? '' : `"prev_change_id":${random.chance(0.1) ? count : previous},`;
  const data = `{${type}"timestamp":${time},${id}"instrument_name":${symbol},"change_id":${update},"bids":${bids},"asks":${asks}}`;
  return `{"jsonrpc":"2.0","method":"subscription","params":{"channel":"book.${name}.raw","data":${data}}}`;
}

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';
import { busyBookTexts } from '../rows/busy-book.js';

const gzipAsync = promisify(gzip);

const SMALL_TEXT_BYTES = 50_000;
const SEGMENTS = 4;
const SEGMENT_TEXT_BYTES = 77_400_000;

const LEADING_COLUMNS = 'exchange,symbol,timestamp,local_timestamp';
/** The columns of each type after those, and the cells of a row. */
const COLUMNS = {
  incremental_book_L2: ['is_snapshot,side,price,amount', 'true,bid,1,1'],
  quotes: ['ask_amount,ask_price,bid_price,bid_amount', '1,2,1,1'],
  trades: ['id,side,price,amount', '1,buy,1,1'],
};
/** Exchange of all these files. */
export const EXCHANGE = 'binance-futures';

/**
 * Creates many small day files with equal rows but the first, which shows their day. @returns their names, without `.csv.gz` and the exchange.
 * @param textBytes bytes of each before compression, which divides them by about twelve.
 */
export async function makeSmallFiles(folder, { symbols, types, days, textBytes = SMALL_TEXT_BYTES }) {
  await mkdir(folder);
  const body = await gzipAsync(bookText(1, textBytes));
  const files = symbols.flatMap((symbol) =>
    types.flatMap((type) => days.map((day) => ({ symbol, type, day }))),
  );
  for (const file of files)
    await writeFile(join(folder, nameOf(file)), Buffer.concat([makeStart(file), body]));
  return files;
}

/**
 * Creates day files of about `bytes` compressed each, equal for the same seed. Each consists of gzip members that all
 * files share, in a different order, since compressing every file separately would take minutes.
 */
export async function makeLargeFiles(folder, { symbols, type, day, bytes }) {
  await mkdir(folder);
  const segments = await Promise.all(
    Array.from({ length: SEGMENTS }, (_, seed) => gzipAsync(bookText(seed + 1, SEGMENT_TEXT_BYTES))),
  );
  const files = symbols.map((symbol) => ({ symbol, type, day }));
  for (const [index, file] of files.entries()) {
    const out = createWriteStream(join(folder, nameOf(file)));
    const start = makeStart(file);
    out.write(start);
    let length = start.length;
    for (let at = index; length < bytes; at++) {
      const segment = segments[at % SEGMENTS];
      length += segment.length;
      if (!out.write(segment)) await once(out, 'drain');
    }
    out.end();
    await once(out, 'close');
  }
  return files;
}

/** A gzip member of the header and of a row at the beginning of the day. */
function makeStart({ symbol, type, day }) {
  const [columns, cells] = COLUMNS[type];
  const time = Date.parse(day) * 1000;
  return gzipSync(`${LEADING_COLUMNS},${columns}\n${EXCHANGE},${symbol},${time},${time},${cells}\n`);
}

/** The flat name, which the embedded service serves. */
export function nameOf({ type, day, symbol }) {
  return `${EXCHANGE}_${type}_${day}_${symbol}.csv.gz`;
}

function bookText(seed, bytes) {
  const parts = [];
  let length = 0;
  for (const text of busyBookTexts(seed)) {
    parts.push(text);
    length += text.length;
    if (length >= bytes) break;
  }
  return Buffer.from(parts.join(''), 'latin1');
}

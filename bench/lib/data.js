import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const gzipAsync = promisify(gzip);

export const EXCHANGE = 'binance-futures';
const HEADER = 'exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount\n';
const SMALL_TEXT_BYTES = 50_000;
const SEGMENTS = 4;
const SEGMENT_TEXT_BYTES = 77_400_000;

/** Many small day files. @returns their names, without `.csv.gz` and the exchange. */
export async function makeSmallFiles(folder, { symbols, types, days }) {
  await mkdir(folder);
  const body = await gzipAsync(HEADER + bookText(1, SMALL_TEXT_BYTES));
  const files = symbols.flatMap((symbol) =>
    types.flatMap((type) => days.map((day) => ({ symbol, type, day }))),
  );
  for (const file of files) await writeFile(join(folder, nameOf(file)), body);
  return files;
}

/**
 * Day files of about `bytes` compressed each, the same for the same seed. Each is made of gzip members that
 * all files share, in an order of its own: compressing every file anew would take minutes.
 */
export async function makeLargeFiles(folder, { symbols, type, day, bytes }) {
  await mkdir(folder);
  const header = await gzipAsync(HEADER);
  const segments = await Promise.all(
    Array.from({ length: SEGMENTS }, (_, seed) => gzipAsync(bookText(seed + 1, SEGMENT_TEXT_BYTES))),
  );
  const files = symbols.map((symbol) => ({ symbol, type, day }));
  for (const [index, file] of files.entries()) {
    const out = createWriteStream(join(folder, nameOf(file)));
    out.write(header);
    let length = header.length;
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

/** The flat name, which the embedded service replays. */
export function nameOf({ type, day, symbol }) {
  return `${EXCHANGE}_${type}_${day}_${symbol}.csv.gz`;
}

/** Rows of incremental_book_L2: a mid price that walks, updates of some levels on both sides of it. */
function bookText(seed, bytes) {
  const random = generator(seed);
  const pick = (count) => Math.floor(random() * count);
  const parts = [];
  let time = Date.UTC(2024, 2, 1) * 1000;
  let mid = 620_000;
  for (let length = 0; length < bytes; ) {
    time += 20_000 + pick(80_000);
    mid += pick(21) - 10;
    const times = `${Math.floor(time / 1000) * 1000},${time + 2000 + pick(4000)}`;
    let text = '';
    for (const [side, step] of [
      ['bid', -1],
      ['ask', 1],
    ]) {
      let price = mid;
      for (let level = 3 + pick(8); level > 0; level--) {
        price += step * (1 + pick(4));
        const amount = random() < 0.25 ? '0' : (pick(4000) * (1 + pick(3))) / 1000;
        text += `${EXCHANGE},BTCUSDT,${times},false,${side},${price / 10},${amount}\n`;
      }
    }
    parts.push(text);
    length += text.length;
  }
  return Buffer.from(parts.join(''), 'latin1');
}

/** Mulberry32: numbers from 0 to 1, the same for the same seed. */
function generator(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

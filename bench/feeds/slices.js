import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import {
  DAY,
  depthMinutes,
  lighterBookMinutes,
  lighterTradeMinutes,
  mexcDepthMinutes,
  mexcTradeMinutes,
  throughJson,
  tradeMinutes,
} from './lines.js';

export { DAY };

const gzipAsync = promisify(gzip);

export const SYMBOLS = ['btcusdt', 'ethusdt', 'solusdt', 'xrpusdt'];

/** The replayed data: minutes, channels and symbols, and the number of messages. */
export const TRADES = {
  exchange: 'binance-futures',
  name: 'trades',
  symbols: ['btcusdt'],
  channels: ['trade'],
  minutes: 60,
  make: tradeMinutes,
};
export const DEPTH = {
  ...TRADES,
  name: 'depth updates',
  channels: ['depth', 'depthSnapshot'],
  make: depthMinutes,
};
/** The same messages in a form that only JSON.parse reads, and those of an exchange that has no text form. */
export const JSON_TRADES = {
  ...TRADES,
  symbols: ['btcusdt'],
  folder: 'json',
  make: throughJson(tradeMinutes),
};
export const JSON_DEPTH = { ...DEPTH, symbols: ['btcusdt'], folder: 'json', make: throughJson(depthMinutes) };
export const MEXC_TRADES = {
  ...TRADES,
  exchange: 'mexc',
  symbols: ['BTCUSDT'],
  channels: ['spot@public.aggre.deals.v3.api.pb@10ms'],
  make: mexcTradeMinutes,
};
export const MEXC_DEPTH = {
  ...MEXC_TRADES,
  name: 'depth updates',
  channels: ['depth.snapshot', 'depth'].map((name) => `spot@public.aggre.${name}.v3.api.pb@10ms`),
  make: mexcDepthMinutes,
};
export const LIGHTER_TRADES = {
  ...TRADES,
  exchange: 'lighter',
  name: 'trades of lighter',
  symbols: ['1'],
  make: lighterTradeMinutes,
};
export const LIGHTER_BOOKS = {
  ...LIGHTER_TRADES,
  name: 'book updates of lighter',
  channels: ['order_book'],
  make: lighterBookMinutes,
};
/** Small slices, dominated by waiting for responses. */
export const WHOLE_DAY = { ...TRADES, symbols: ['ethusdt'], minutes: 1440 };

/**
 * Creates the slices of a feed in a folder that is a cache of both tickhaul and the vendor's client, unless an earlier
 * run did.
 * @returns the folder, the slices' paths, and the bytes of their text.
 */
export async function makeSlices(feed, messages) {
  const perMinute = Math.max(1, Math.round(messages / feed.minutes));
  const source = await readFile(new URL('lines.js', import.meta.url));
  const version = createHash('sha256').update(source).digest('hex').slice(0, 8);
  const folder = join(tmpdir(), 'tickhaul-bench-feeds', `${version}-${perMinute}`, feed.folder ?? 'usual');
  const paths = Array.from({ length: feed.minutes }, (_, minute) => join(folder, pathOf(feed, minute)));
  const note = join(folder, `${keyOf(feed)}-${feed.minutes}.json`);
  const known = await readFile(note, 'utf8').then(JSON.parse, () => undefined);
  if (known) return { folder, paths, messages: perMinute * feed.minutes, bytes: known.bytes };
  process.stderr.write(`making ${messages.toLocaleString('en')} ${feed.name}\n`);
  const { symbols, make } = feed;
  const textOf = symbols.map((symbol, at) => make(at + 1, symbol));
  let bytes = 0;
  for (const [minute, path] of paths.entries()) {
    const texts = textOf.map((text) => text(minute, Math.round(perMinute / symbols.length)));
    const text = Buffer.from(merged(texts), 'latin1');
    bytes += text.length;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(`${path}.part`, await gzipAsync(text));
    await rename(`${path}.part`, path);
  }
  await writeFile(note, JSON.stringify({ bytes }));
  return { folder, paths, messages: perMinute * feed.minutes, bytes };
}

/** Lines of several symbols, by local time. */
function merged(texts) {
  if (texts.length === 1) return texts[0];
  const lines = texts.flatMap((text) => text.split('\n').slice(0, -1));
  const timed = lines.map((line) => [line.slice(0, 28), line]);
  timed.sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));
  return timed.map(([, line]) => `${line}\n`).join('');
}

/** Path of a minute in the layout of the vendor's clients. */
export function pathOf(feed, minute) {
  const hour = String(Math.floor(minute / 60)).padStart(2, '0');
  const at = String(minute % 60).padStart(2, '0');
  return join('feeds', feed.exchange, keyOf(feed), ...DAY.split('-'), hour, `${at}.json.gz`);
}

/** Filters as in a request. */
export function filtersOf({ channels, symbols }) {
  return channels.map((channel) => ({ channel, symbols }));
}

export function keyOf(feed) {
  return createHash('sha256')
    .update(JSON.stringify(filtersOf(feed)))
    .digest('hex');
}

/** End of the period. */
export function endOf({ minutes }) {
  return new Date(Date.parse(DAY) + minutes * 60_000).toISOString();
}

/** Total bytes of files. */
export async function bytesOf(paths) {
  const sizes = await Promise.all(paths.map(async (path) => (await stat(path)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { DAY, endOf, filtersOf } from '../feeds/slices.js';

/** A part of a period: each of several clients requests one, with the messages of one client in total. */
export const CLIENTS = 20;

/** Symbols of the channels' subscriptions, in the form of the exchange's own clients. */
const STREAMS = { depth: 'depth@0ms' };

/**
 * Client requests for a feed from slices: the whole period, or the same first part of it for each client, since only
 * the first minute has a whole book.
 * @param type a normalized data type; undefined for raw data.
 * @returns requests over HTTP and over WebSocket.
 */
export function askedOfFeeds(feed, type, clients) {
  const period = { from: DAY, to: endOf({ minutes: feed.minutes / clients }) };
  const { exchange, symbols, channels } = feed;
  if (type !== undefined) return normalized(exchange, symbols, type, period, clients);
  const subscribe = {
    method: 'SUBSCRIBE',
    params: symbols.flatMap((symbol) =>
      channels.map((channel) => `${symbol}@${STREAMS[channel] ?? channel}`),
    ),
  };
  const raw = { exchange, filters: filtersOf(feed), ...period };
  return {
    http: times(clients, { path: `/replay?options=${text(raw)}` }),
    ws: times(clients, {
      path: `/ws-replay?${new URLSearchParams({ exchange, ...period })}`,
      subscribe,
    }),
  };
}

/**
 * Client requests for a day file. @param kind as in `lib/kinds.js`.
 * @param last local time of its last row, in milliseconds, since synthetic rows do not fill the day.
 */
export function askedOfDayFiles({ exchange, symbol }, type, { day, last }, clients) {
  const start = Date.parse(day);
  const end = clients === 1 ? start + 86_400_000 : start + Math.ceil((last - start) / clients);
  return normalized(exchange, [symbol], type, { from: day, to: new Date(end).toISOString() }, clients);
}

/** The local time of a day file's last row, in milliseconds. */
export async function lastOf(path) {
  let end = '';
  for await (const chunk of createReadStream(path).pipe(createGunzip())) {
    end = (end + chunk.latin1Slice(Math.max(0, chunk.length - 1000))).slice(-1000);
  }
  const [, , , local] = end.trimEnd().split('\n').at(-1).split(',');
  return Number(local) / 1000;
}

function normalized(exchange, names, type, period, clients) {
  const symbols = names.map((name) => name.toUpperCase());
  const options = { exchange, symbols, dataTypes: [type], ...period };
  return {
    http: times(clients, { path: `/replay-normalized?options=${text(options)}` }),
    ws: times(clients, { path: `/ws-replay-normalized?options=${text(options)}` }),
  };
}

function times(count, request) {
  return Array.from({ length: count }, () => request);
}

function text(options) {
  return encodeURIComponent(JSON.stringify(options));
}

import { median, table } from '../lib/table.js';

/**
 * Time of the vendor's server 18.2.0 for a million source messages on another machine with two processors, and of
 * tardis-dev 13.35.3 there for the same messages: wall and CPU, in seconds. The server needs Node 24, and is not on npm.
 * The 2 s for which `/ws-replay` waits for subscriptions are not included.
 */
const VENDOR = {
  'raw of trades': { http: [1.66, 1.52], ws: [4.0, 2.9], library: [1.49, 1.76] },
  'raw of depth updates': { http: [3.07, 2.87], ws: [5.4, 4.1], library: [1.89, 2.55] },
  trade: { http: [5.93, 6.17], ws: [15.2, 10.2], library: [4.49, 4.81] },
  trade_bar_1m: { http: [3.14, 2.98], ws: [3.0, 3.2], library: [5.44, 5.15] },
  book_change: { http: [17.2, 18.2], ws: [31.8, 23.5], library: [10.7, 11.7] },
  book_snapshot_10_100ms: { http: [13.6, 14.1], ws: [15.8, 15.3], library: [19.9, 20.7] },
};

/** Aim: factor over the vendor's messages per second. */
const AIMS = { raw: { http: 2.5, ws: 4 }, cache: { http: 1.3, ws: 1.3 }, files: { http: 4, ws: 4 } };

/**
 * The factor by which one client was served faster than by the vendor's server. Its seconds on the other machine are
 * multiplied by the ratio of tardis-dev's time here to that there for the same messages.
 * @param sections `{name, source, type, runs}`, with the runs of `compare`.
 * @param yardsticks time of tardis-dev here, by name.
 */
export function formatAims(sections, yardsticks) {
  const lines = sections.flatMap(({ name, source, runs }) =>
    ['http', 'ws'].flatMap((way) => {
      const yardstick = yardsticks[name];
      const own = runs.find((run) => run.name === ONE[way]);
      if (!yardstick || !own) return [];
      const aim = AIMS[name.startsWith('raw') ? 'raw' : source][way];
      const [wall, cpu] = ['wall', 'cpu'].map((figure, at) =>
        timesFaster(name, way, own, yardstick, figure, at),
      );
      return [
        [
          `${name} from ${SOURCES[source]}, ${NAMES[way]}`,
          aim.toFixed(1),
          wall.toFixed(1),
          cpu.toFixed(1),
          wall >= aim ? 'met' : 'missed',
        ],
      ];
    }),
  );
  return table([['', 'aim', 'times its messages/s', 'its CPU over ours', ''], ...lines]);
}

const ONE = { http: 'HTTP, one client', ws: 'WebSocket, one client' };
const NAMES = { http: 'HTTP', ws: 'WebSocket' };
const SOURCES = { cache: 'the cache', files: 'day files' };

function timesFaster(name, way, own, yardstick, figure, at) {
  const vendor = VENDOR[name];
  const slowness = perMillion(yardstick, figure) / vendor.library[at];
  return (vendor[way][at] * slowness) / perMillion(own, figure);
}

function perMillion({ rows, measured }, figure) {
  return (median(measured.map((one) => one[figure])) / rows) * 1_000_000;
}

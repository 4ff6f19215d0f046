import { withOptions } from '../server/serving.js';

/** A request to the server that gives the same messages over both protocols. */
export interface SoakRequest {
  readonly name: string;
  readonly path: string;
  readonly socket: { readonly path: string; readonly sent: readonly string[] };
  /** Extracts the WebSocket message from a line over HTTP. */
  readonly messageOf: (line: string) => string;
}

/** Hours of the day that clients request; an hour that one fetched is usually in the cache of another. */
const HOURS = 4;
/** After those of others, so that it is never in the cache. */
export const LONG_PERIOD = { from: '2024-03-01T12:00', to: '2024-03-01T23:00' };

/** Raw and normalized messages of an hour, of one or several exchanges, below and above the size that uses threads. */
export function createRequests(hour: number): readonly SoakRequest[] {
  const from = `2024-03-01T${String(hour).padStart(2, '0')}:00`;
  const [short, long] = ['05', '45'].map((minute) => ({ from, to: `${from.slice(0, -2)}${minute}` }));
  return [
    raw({ exchange: 'bitmex', ...long }, { op: 'subscribe', args: ['trade:XBTUSD', 'orderBookL2'] }, [
      { channel: 'trade', symbols: ['XBTUSD'] },
      { channel: 'orderBookL2' },
    ]),
    raw({ exchange: 'bybit', ...short }, { op: 'subscribe', args: ['publicTrade.BTCUSDT'] }, [
      { channel: 'publicTrade', symbols: ['BTCUSDT'] },
    ]),
    normalized([
      { exchange: 'bitmex', dataTypes: ['trade', 'book_snapshot_5_1s'], ...long },
      {
        exchange: 'deribit',
        dataTypes: ['book_change', 'trade_bar_1m'],
        withDisconnectMessages: true,
        ...long,
      },
    ]),
    normalized([{ exchange: 'bybit', symbols: ['BTCUSDT'], dataTypes: ['trade', 'quote'], ...short }]),
  ];
}

/** All requests. */
export const ALL_REQUESTS: readonly SoakRequest[] = Array.from({ length: HOURS }, (_, hour) =>
  createRequests(hour),
).flat();

function raw(
  period: { exchange: string; from?: string; to?: string },
  subscribe: object,
  filters: readonly object[],
): SoakRequest {
  const { exchange, from = '', to = '' } = period;
  return {
    name: `raw ${exchange} ${from}`,
    path: withOptions('/replay', { ...period, filters }),
    socket: {
      path: `/ws-replay?${new URLSearchParams({ exchange, from, to })}`,
      sent: [JSON.stringify(subscribe)],
    },
    messageOf: (line) => line.slice(line.indexOf('"message":') + '"message":'.length, -1),
  };
}

interface NormalizedOptions {
  readonly exchange: string;
  readonly from?: string;
  readonly [field: string]: unknown;
}

function normalized(options: readonly NormalizedOptions[]): SoakRequest {
  const names = options.map(({ exchange }) => exchange).join('+');
  return {
    name: `normalized ${names} ${options[0]?.from}`,
    path: withOptions('/replay-normalized', options),
    socket: { path: withOptions('/ws-replay-normalized', options), sent: [] },
    messageOf: (line) => line,
  };
}

import { FeedLines } from '../../src/exchange-adapters/feed-lines.js';
import { planFeed } from '../../src/exchange-adapters/feed-plan.js';
import { LineBuffer } from '../../src/market/lines/line-buffer.js';
import { parseMessageType } from '../../src/market/message-type-name.js';

/** A local timestamp with the message, or a disconnect. */
export type Event = readonly [localTimestamp: string, message: unknown] | 'disconnect';

interface Feed {
  readonly exchange: string;
  readonly types: string;
  readonly symbols?: readonly string[];
  readonly withDisconnects?: boolean;
  readonly from?: string;
}

/** The lines of a feed of a few days from the first message on; a message may be given as JSON text. */
export async function linesOf(feed: Feed, events: readonly Event[]): Promise<readonly string[]> {
  const { exchange, symbols, withDisconnects = false } = feed;
  const types = feed.types.split(',').map(parseMessageType);
  const first = events.find((event) => event !== 'disconnect')?.[0] ?? '2024-03-01T00:00:00.0000000Z';
  const start = Date.parse(`${(feed.from ?? first).slice(0, 16)}Z`) * 1000;
  const period = { start, end: start + 3 * 86_400_000_000 };
  const plan = await planFeed({ exchange, types, symbols, period });
  const lines = new FeedLines({ exchange, types, symbols, withDisconnects, plan });
  const out = new LineBuffer(1);
  for (const event of events) {
    if (event === 'disconnect') lines.addDisconnect(out);
    else {
      const text = typeof event[1] === 'string' ? event[1] : JSON.stringify(event[1]);
      lines.addMessage(event[0], text, out);
    }
  }
  return Buffer.from(out.bytes.subarray(0, out.length)).toString().split('\n').slice(0, -1);
}

/** A trade message of BitMEX. */
export const bitmexTrade = (price: number, timestamp: string, symbol = 'XBTUSD'): object => ({
  table: 'trade',
  action: 'insert',
  data: [{ timestamp, symbol, side: 'Sell', size: 1e-7, price, trdMatchID: 'a"1' }],
});

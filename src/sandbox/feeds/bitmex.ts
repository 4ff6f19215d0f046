import { type Random, seededRandom } from '../market/random.js';
import type { MinuteLines, RawLine } from './raw-line.js';

const TICKS_A_MINUTE = 600_000_000;
const CHANNELS = ['trade', 'orderBookL2', 'quote', 'instrument', 'liquidation', 'funding'] as const;
const SYMBOLS = ['XBTUSD', 'ETHUSD'] as const;

export interface MadeUpOptions {
  readonly seed: number;
  /** Messages of each minute. */
  readonly messages: number;
  /** Share of the minutes with a break. */
  readonly breaks: number;
}

/** Made-up messages in the form of BitMEX's own feed; the same seed makes the same bytes. */
export function bitmexLines({ seed, messages, breaks }: MadeUpOptions): MinuteLines {
  return (minute) => {
    const random = seededRandom(seed, 'feeds', 'bitmex', minute);
    const lines: RawLine[] = [];
    const step = TICKS_A_MINUTE / messages;
    const breakAt = random.chance(breaks) ? random.int(messages + 1) : -1;
    for (let i = 0; i < messages; i++) {
      // Two lines, as a feed that is slow to come back leaves them.
      if (i === breakAt) lines.push({ ticks: 0 }, { ticks: 0 });
      const channel = CHANNELS[random.int(CHANNELS.length)] ?? 'trade';
      const symbol = SYMBOLS[random.int(SYMBOLS.length)] ?? 'XBTUSD';
      const ticks = Math.floor(step * (i + random.next()));
      const time = new Date(minute * 60_000 + Math.floor(ticks / 10_000)).toISOString();
      lines.push({ ticks, channel, symbol, message: message(channel, symbol, time, random) });
    }
    if (breakAt === messages) lines.push({ ticks: 0 });
    return lines;
  };
}

function message(
  table: (typeof CHANNELS)[number],
  symbol: string,
  timestamp: string,
  random: Random,
): string {
  const side = random.chance(0.5) ? 'Buy' : 'Sell';
  const price = 8000 + random.int(2000) / 2;
  const size = 1 + random.int(10_000);
  const id = 8_799_000_000 + random.int(1_000_000);
  const rows = {
    trade: {
      timestamp,
      symbol,
      side,
      size,
      price,
      tickDirection: 'ZeroPlusTick',
      trdMatchID: matchId(random),
    },
    orderBookL2: { symbol, id, side, size, timestamp },
    quote: { timestamp, symbol, bidSize: size, bidPrice: price, askPrice: price + 0.5, askSize: size + 1 },
    instrument: { symbol, openInterest: size * 1000, markPrice: price, timestamp },
    liquidation: { orderID: matchId(random), symbol, side, price, leavesQty: size },
    funding: { timestamp, symbol, fundingInterval: '2000-01-01T08:00:00.000Z', fundingRate: 0.0001 },
  };
  const action = table === 'orderBookL2' || table === 'instrument' ? 'update' : 'insert';
  return JSON.stringify({ table, action, data: [rows[table]] });
}

function matchId(random: Random): string {
  const part = (): string => random.int(0x1_0000_0000).toString(16).padStart(8, '0');
  return `${part()}-${part()}`;
}

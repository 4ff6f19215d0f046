import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../../src/sandbox/simulation/seeded-random.js';
import { createMarketSender, loopbackExchange } from '../live/exchange.js';

/** Streamed exchanges, with a symbol of each. */
export const STREAMED = {
  bitmex: 'XBTUSD',
  deribit: 'BTC-PERPETUAL',
  'okex-swap': 'BTC-USDT-SWAP',
  bybit: 'BTCUSDT',
} as const;

/**
 * Starts exchanges on loopback that fail: they close or reset connections, reject them, send garbage, or stop sending.
 * @returns the environment with their addresses.
 */
export async function startFaultyExchanges(t: TestContext, random: Random): Promise<Record<string, string>> {
  const env: Record<string, string> = {};
  for (const [exchange, symbol] of Object.entries(STREAMED)) {
    const { url } = await loopbackExchange(t, {
      refuse: () => (random.chance(0.1) ? { status: 503 } : undefined),
      async play(peer) {
        await peer.nextMessage();
        const { socket } = peer;
        const market = createMarketSender(exchange, symbol, peer);
        market.book(true, 100, 101);
        while (socket.readyState === socket.OPEN) {
          await pause(10 + random.int(60));
          market.trade(100 + random.int(50));
          if (random.chance(0.04)) socket.send('{"rub');
          if (random.chance(0.02)) socket.close(4000, 'going');
          if (random.chance(0.02)) socket.terminate();
          // Silence: the server closes the connection itself.
          if (random.chance(0.02)) return;
        }
      },
    });
    env[`WSS_URL_${exchange.toUpperCase().replaceAll('-', '_')}`] = url;
  }
  return env;
}

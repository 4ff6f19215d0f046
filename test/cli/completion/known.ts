import type { TestContext } from 'node:test';
import { writeCachedResponse } from '../../../src/service/records/fetch-metadata.js';
import { tempDir } from '../../helpers/temp.js';

const API_URL = 'https://api.tardis.dev';

const symbol = (id: string, type: string, dataTypes: readonly string[]) => ({ id, type, dataTypes });

const BINANCE = {
  id: 'binance',
  datasets: {
    exportedUntil: '2024-03-09T00:00:00.000Z',
    symbols: [
      symbol('SPOT', 'spot', ['trades', 'new_type']),
      symbol('BTCUSDT', 'spot', ['trades', 'quotes']),
      symbol('BTCEUR', 'spot', ['trades']),
      symbol('ETHUSDT', 'spot', ['trades']),
      symbol('BTC$(touch x)', 'spot', ['trades']),
      symbol('BTC\u001b[2J', 'spot', ['trades']),
    ],
  },
};

/** `BTC-00000` to `BTC-19999`, each after a symbol with another first letter. */
const DERIBIT = {
  id: 'deribit',
  datasets: {
    symbols: Array.from({ length: 20_000 }, (_, i) =>
      symbol(`BTC-${String(i).padStart(5, '0')}`, 'option', []),
    ),
  },
};

/** The environment of a user with a stored list of exchanges and two records. */
export async function knownEnv(t: TestContext): Promise<Record<string, string>> {
  const home = await tempDir(t);
  const folder = `${home}/tickhaul`;
  const write = (path: string, value: unknown): Promise<void> =>
    writeCachedResponse(folder, `${API_URL}/v1/${path}`, Buffer.from(JSON.stringify(value)), {
      etag: undefined,
      lastModified: undefined,
    });
  await write('exchanges', [{ id: 'binance' }, { id: 'bitmex' }]);
  await write('exchanges/binance', BINANCE);
  await write('exchanges/deribit', DERIBIT);
  return { XDG_CACHE_HOME: home, HOME: home };
}

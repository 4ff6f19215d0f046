// Writes the recipes of docs/recipes/ that are made of the templates of exports, in src/export/.
//   npm run recipes                   writes the files
//   node scripts/recipes.js --check   exits with code 1 if a file differs from its template
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatConfig, formatStrategy } from '../dist/src/export/freqtrade/freqtrade-setup.js';
import { formatHftbacktestScript } from '../dist/src/export/hftbacktest/hftbacktest-setup.js';
import {
  formatNautilusScript,
  formatRustNautilusScript,
} from '../dist/src/export/nautilus/nautilus-setup.js';

const FOLDER = join(import.meta.dirname, '..', 'docs', 'recipes');

const NAUTILUS = { id: 'BTCUSDT-PERP.BINANCE', data: 'trade_tick', currencies: ['USDT'] };

/** As an export of BTCUSDT of binance-futures writes them. */
const RECIPES = {
  'run_hftbacktest.py': formatHftbacktestScript({
    exchange: 'binance-futures',
    symbol: 'BTCUSDT',
    firstDay: '2024-03-01',
    lastDay: '2024-03-03',
    facts: {
      tickSize: '0.1',
      lotSize: '0.001',
      isInverse: false,
      contractSize: '1',
      makerFee: '0.0002',
      takerFee: '0.0005',
    },
  }),
  'run_nautilus.py': formatNautilusScript(NAUTILUS),
  'run_nautilus_rust.py': formatRustNautilusScript(NAUTILUS),
  'freqtrade-config.json': formatConfig({
    exchange: 'binance',
    pairs: ['BTC/USDT:USDT'],
    timeframe: '5m',
    fundingTimeframes: ['1h', '1h'],
    fee: '0.0005',
  }),
  'freqtrade-strategy.py': formatStrategy('5m'),
};

for (const [name, text] of Object.entries(RECIPES)) {
  const path = join(FOLDER, name);
  if (!process.argv.includes('--check')) writeFileSync(path, text);
  else if (readText(path) !== text) {
    process.stderr.write(`docs/recipes/${name}: not as its template in src/export; run npm run recipes\n`);
    process.exitCode = 1;
  }
}

function readText(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

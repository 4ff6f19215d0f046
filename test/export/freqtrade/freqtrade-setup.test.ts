import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { addDays, parseDay } from '../../../src/day-files/day.js';
import type { ExportJob, SideFiles } from '../../../src/export/export-target.js';
import { pairPaths, readFreqtradeSettings } from '../../../src/export/freqtrade/freqtrade-settings.js';
import {
  createFreqtradeSetup,
  formatConfig,
  formatStrategy,
} from '../../../src/export/freqtrade/freqtrade-setup.js';
import type { InstrumentInfo } from '../../../src/service/records/fetch-instruments.js';
import { compilePython, noPython } from '../../helpers/python.js';
import { tempDir } from '../../helpers/temp.js';
import { SPOT } from '../sample-instruments.js';

const DAY = parseDay('2024-03-01');

/** A job of two days. */
function jobOf(exchange: string, symbol: string, pair: string): ExportJob {
  const sources = [0, 1].map((later) => ({
    path: `${exchange}_${later}`,
    file: { exchange, dataType: 'trades', symbol, day: addDays(DAY, later) },
  }));
  return {
    target: 'freqtrade',
    key: `${exchange} ${symbol}`,
    sources,
    settings: { timeframes: ['5m'], pair },
  };
}

function setUp(jobs: readonly ExportJob[], instruments: readonly InstrumentInfo[] = []): Promise<SideFiles> {
  return createFreqtradeSetup(
    jobs,
    ({ settings }) => {
      const { pair } = settings as { pair: string };
      return [pairPaths(pair).trades, pairPaths(pair).candles('5m')];
    },
    readFreqtradeSettings({ timeframe: ['5m', '1h'] }),
    {
      fetchInstruments: () => assert.fail('sends no request'),
      lookUpInstruments: () => assert.fail('sends no request'),
      fetchSymbolTypes: () => assert.fail('sends no request'),
      findInstruments: async () => instruments,
      signal: new AbortController().signal,
    },
  );
}

function configOf({ files }: SideFiles): Record<string, unknown> {
  return JSON.parse(Buffer.from(files[0]?.bytes ?? []).toString());
}

test('a configuration of futures has the pairs of one exchange and stake currency', async () => {
  const infos = [0.0005, 0.0004].map((takerFee, i) => {
    return { ...SPOT, id: ['ethusdt', 'btcusdt'][i] as string, changes: undefined, takerFee };
  });
  const setup = await setUp(
    [
      jobOf('binance-delivery', 'BTCUSD_PERP', 'BTC/USD:BTC'),
      jobOf('binance-futures', 'BTCUSDT', 'BTC/USDT:USDT'),
      jobOf('binance-futures', 'ETHUSDC', 'ETH/USDC:USDC'),
    ],
    infos,
  );
  assert.deepEqual(configOf(setup), {
    exchange: {
      name: 'binance',
      pair_whitelist: ['BTC/USDT:USDT'],
      _ft_has_params: { funding_fee_timeframe: '1h', mark_ohlcv_timeframe: '1h' },
    },
    trading_mode: 'futures',
    margin_mode: 'isolated',
    stake_currency: 'USDT',
    stake_amount: 100,
    dry_run: true,
    dry_run_wallet: 1000,
    max_open_trades: 1,
    timeframe: '5m',
    fee: 0.0004,
    entry_pricing: { price_side: 'same', use_order_book: true, order_book_top: 1 },
    exit_pricing: { price_side: 'same', use_order_book: true, order_book_top: 1 },
    pairlists: [{ method: 'StaticPairList' }],
    dataformat_ohlcv: 'feather',
    dataformat_trades: 'feather',
  });
  assert.equal(
    setup.script?.command('user_data/data/binance/config.json', 'user_data/data/binance').join(' '),
    'freqtrade backtesting --config user_data/data/binance/config.json --userdir user_data --datadir user_data/data/binance --strategy Demo --strategy-path user_data/data/binance --timerange 20240301-20240303 --cache none',
  );
  assert.ok(
    setup.script?.command('out/config.json', 'out').join(' ').includes(' --userdir out --datadir out '),
  );
  assert.deepEqual(
    setup.files.map(({ path, isEditable }) => [path, isEditable]),
    [
      ['config.json', true],
      ['Demo.py', true],
    ],
  );
});

test('a configuration of spot pairs has no funding, and no fee that is unknown or negative', async () => {
  const jobs = [
    jobOf('kraken', 'XBT-USD', 'BTC/USD'),
    jobOf('kraken', 'ETH-USD', 'ETH/USD'),
    jobOf('kraken', 'ETH-XBT', 'ETH/BTC'),
  ];
  for (const takerFee of [undefined, -0.0001]) {
    const infos = [{ ...SPOT, id: 'XBT-USD', changes: undefined, takerFee }];
    const config = configOf(await setUp(jobs, infos));
    assert.deepEqual(config['exchange'], { name: 'kraken', pair_whitelist: ['BTC/USD', 'ETH/USD'] });
    assert.deepEqual(
      [config['stake_currency'], config['fee'], config['trading_mode']],
      ['USD', undefined, undefined],
    );
  }
});

test('what freqtrade does not trade has no configuration, and a note', async () => {
  for (const [exchange, pair] of [
    ['bitmex', 'BTC/USD:BTC'],
    ['bybit', 'BTC/USD:BTC'],
    ['binance-futures', 'BTC/USDT:USDT-240628'],
    ['binance-futures', 'BTC/USDT'],
    ['constructor', 'BTC/USDT'],
    ['constructor', 'BTC/USDT:USDT'],
  ] as const) {
    const { files, messages, script } = await setUp([jobOf(exchange, 'X', pair)]);
    assert.deepEqual([files, script], [[], undefined]);
    const message = `no config.json: freqtrade does not trade ${pair} of ${exchange}`;
    assert.deepEqual(messages, [{ event: 'note', message }]);
  }
});

test('timeframes of funding are those of the files', () => {
  const text = formatConfig({
    exchange: 'okx',
    pairs: ['BTC/USDT:USDT'],
    timeframe: '1m',
    fundingTimeframes: ['8h', '4h'],
    fee: '0.5',
  });
  const { exchange, fee } = JSON.parse(text);
  assert.deepEqual(exchange._ft_has_params, { funding_fee_timeframe: '8h', mark_ohlcv_timeframe: '4h' });
  assert.equal(fee, undefined);
});

test('the strategy parses', { skip: noPython('py_compile') }, async (t) => {
  const path = join(await tempDir(t), 'Demo.py');
  await writeFile(path, formatStrategy('5m'));
  compilePython(path);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDay } from '../../../src/day-files/day.js';
import type { ExportContext, ExportFlags, ExportSource } from '../../../src/export/export-target.js';
import { pairPaths, toPair } from '../../../src/export/freqtrade/freqtrade-settings.js';
import { freqtrade } from '../../../src/export/freqtrade/freqtrade-target.js';
import type { InstrumentInfo } from '../../../src/service/records/fetch-instruments.js';

function instrument(id: string, type: string, more: Partial<InstrumentInfo> = {}): InstrumentInfo {
  return {
    id,
    exchange: 'binance',
    baseCurrency: 'BTC',
    quoteCurrency: 'USDT',
    type,
    active: true,
    availableSince: '2019-01-01T00:00:00.000Z',
    ...more,
  };
}

function source(symbol: string, day = '2024-03-01', path = `${symbol} ${day}`): ExportSource {
  return { path, file: { exchange: 'binance', dataType: 'trades', symbol, day: parseDay(day) } };
}

function plan(
  sources: readonly ExportSource[],
  flags: ExportFlags,
  instruments: readonly InstrumentInfo[] | undefined,
) {
  const context: ExportContext = {
    fetchInstruments: async () => instruments,
    findInstruments: () => assert.fail('needs no instruments'),
    lookUpInstruments: () => assert.fail('needs no instruments'),
    fetchSymbolTypes: () => assert.fail('needs no types'),
    signal: new AbortController().signal,
  };
  return freqtrade.plan(sources, freqtrade.readSettings(flags), context);
}

test('names pairs as freqtrade does', () => {
  const btc = { baseCurrency: 'BTC', quoteCurrency: 'USD' };
  for (const [type, more, expected] of [
    ['spot', {}, 'BTC/USDT'],
    ['perpetual', {}, 'BTC/USDT:USDT'],
    ['perpetual', { ...btc, inverse: true }, 'BTC/USD:BTC'],
    ['perpetual', { ...btc, contractType: 'inverse_perpetual' }, 'BTC/USD:BTC'],
    ['perpetual', { ...btc, settlementCurrency: 'USDC' }, 'BTC/USD:USDC'],
    ['future', { expiry: '2024-06-28T08:00:00.000Z' }, 'BTC/USDT:USDT-240628'],
    ['option', {}, undefined],
    ['spot', { baseCurrency: '' }, undefined],
  ] as const)
    assert.equal(toPair(instrument('x', type, more)), expected);
});

test('names files as freqtrade does', () => {
  const names = (pair: string) => [pairPaths(pair).trades, pairPaths(pair).candles('1m')];
  assert.deepEqual(names('BTC/USDT'), ['BTC_USDT-trades.feather', 'BTC_USDT-1m.feather']);
  assert.deepEqual(names('BTC/USDT:USDT'), [
    'futures/BTC_USDT_USDT-trades.feather',
    'futures/BTC_USDT_USDT-1m-futures.feather',
  ]);
  assert.equal(pairPaths('A.B@C$+ *\\x/Y').trades, 'A_B_C___--x_Y-trades.feather');
});

test('makes one job of all days of a symbol', async () => {
  const sources = [source('BTC-USDT'), source('BTC-USDT', '2024-03-02'), source('BTCUSDT')];
  const instruments = [
    instrument('btc/usdt', 'spot'),
    instrument('x', 'perpetual', { datasetId: 'BTCUSDT' }),
  ];
  const { jobs, skipped } = await plan(sources, { timeframe: ['1m', '1h', '1m'] }, instruments);
  assert.deepEqual(skipped, []);
  const timeframes = ['1m', '1h'];
  assert.deepEqual(jobs, [
    {
      target: 'freqtrade',
      key: 'binance BTC-USDT',
      sources: sources.slice(0, 2),
      settings: { timeframes, pair: 'BTC/USDT' },
    },
    {
      target: 'freqtrade',
      key: 'binance BTCUSDT',
      sources: sources.slice(2),
      settings: { timeframes, pair: 'BTC/USDT:USDT' },
    },
  ]);
});

test('gives a grouped symbol the pairs of its type', async () => {
  const instruments = [
    instrument('btcusdt', 'perpetual'),
    instrument('btcusdt_240628', 'future', { expiry: '2024-06-28' }),
    instrument('spot', 'spot'),
  ];
  const { jobs } = await plan([source('PERPETUALS')], {}, instruments);
  assert.deepEqual(jobs[0]?.settings, { timeframes: ['1m'], pairs: { BTCUSDT: 'BTC/USDT:USDT' } });
});

test('asks for nothing if --pair names the pair', async () => {
  const context: ExportContext = {
    fetchInstruments: () => assert.fail('needs no instruments'),
    findInstruments: () => assert.fail('needs no instruments'),
    lookUpInstruments: () => assert.fail('needs no instruments'),
    fetchSymbolTypes: () => assert.fail('needs no types'),
    signal: new AbortController().signal,
  };
  const { jobs } = await freqtrade.plan([source('A')], freqtrade.readSettings({ pair: 'A/B' }), context);
  assert.deepEqual(jobs[0]?.settings, { timeframes: ['1m'], pair: 'A/B' });
});

test('refuses what has no pair, or no pair of its own', async () => {
  const btc = instrument('BTCUSDT', 'spot');
  for (const [sources, flags, instruments, message] of [
    [
      ['A'],
      {},
      undefined,
      /^binance A: its base and quote currency are unknown; set --pair BASE\/QUOTE, or select the other symbols with -s \(in/,
    ],
    [['A'], {}, [btc], /^binance A: its base and quote currency are unknown/],
    [['A'], {}, [instrument('A', 'option')], /^binance A: no pair follows from an instrument of type option/],
    [
      ['PERPETUALS'],
      {},
      [btc],
      /^binance PERPETUALS: no pairs are known; set TICKHAUL_API_KEY .*, or select the other symbols with -s \(in/,
    ],
    [
      ['OPTIONS'],
      {},
      [btc],
      /^binance OPTIONS: options have no pairs; select the other symbols with -s \(in a config file: symbols\)$/,
    ],
    [['A', 'B'], { pair: 'A/B' }, [], /^--pair names one symbol, and binance B is another one/],
    [['SPOT'], { pair: 'A/B' }, [], /^--pair names one symbol, and binance SPOT has many/],
    [
      ['A', 'B'],
      {},
      [instrument('A', 'spot'), instrument('B', 'spot')],
      /^binance A and binance B both have the/,
    ],
    [['BTCUSDT', 'SPOT'], {}, [btc], /^binance BTCUSDT and binance SPOT both have the pair BTC\/USDT;/],
    [['A', 'A'], { pair: 'A/B' }, [], /^binance A: several files have the same day: /],
  ] as const) {
    await assert.rejects(
      plan(
        sources.map((symbol) => source(symbol)),
        flags,
        instruments,
      ),
      (error: Error & { code?: string }) => error.code === 'usage' && message.test(error.message),
      String(message),
    );
  }
});

test('refuses timeframes that do not divide a day, and texts that are no pairs', () => {
  const read = (timeframe: string) => freqtrade.readSettings({ timeframe: [timeframe] }).timeframes;
  for (const name of ['1s', '1m', '5m', '12h', '1d', '90m']) assert.deepEqual(read(name), [name]);
  for (const name of ['7m', '2d', '1w', '1M', '0m', '01m', 'm', '1', '1.5h', '1 m'])
    assert.throws(() => read(name), { code: 'usage', message: /^--timeframe: ".*" does not divide a day/ });
  for (const pair of ['BTC', 'BTC/', '/USDT', 'A/B/C', 'A/B:', 'A B/C', '../A/B'])
    assert.throws(() => freqtrade.readSettings({ pair }), { code: 'usage', message: /^--pair: / });
});

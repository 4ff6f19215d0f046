import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDay } from '../../../src/day-files/day.js';
import type { ExportContext, ExportFlags, ExportSource } from '../../../src/export/export-target.js';
import { findSuffix, formatInstrumentId } from '../../../src/export/nautilus/catalog-instrument.js';
import {
  formatBarStep,
  parseBarName,
  readNautilusOptions,
} from '../../../src/export/nautilus/nautilus-options.js';
import { planCatalog } from '../../../src/export/nautilus/plan-catalog.js';
import type { InstrumentInfo } from '../../../src/service/records/fetch-instruments.js';

const day = parseDay('2024-03-01');

function source(exchange: string, dataType: string, symbol: string): ExportSource {
  const file = { exchange, dataType, symbol, day };
  return { path: `${exchange}_${dataType}_2024-03-01_${symbol}.csv.gz`, file };
}

function instrument(id: string, fields: Readonly<Record<string, unknown>>): InstrumentInfo {
  return {
    id,
    exchange: 'bybit',
    baseCurrency: 'BTC',
    quoteCurrency: 'USDT',
    type: 'perpetual',
    active: true,
    availableSince: '2020-01-01T00:00:00.000Z',
    ...fields,
  };
}

interface Facts {
  readonly instruments?: readonly InstrumentInfo[];
  readonly types?: ReadonlyMap<string, string>;
}

/** Plans, and lists the facts that were asked for. */
async function plan(
  sources: readonly ExportSource[],
  flags: ExportFlags,
  { instruments, types }: Facts = {},
): Promise<{
  jobs: readonly (readonly [string, unknown])[];
  asked: readonly string[];
  warnings: readonly string[] | undefined;
}> {
  const asked: string[] = [];
  const context: ExportContext = {
    async fetchInstruments(exchange) {
      asked.push(`instruments of ${exchange}`);
      return instruments;
    },
    findInstruments: async () => instruments,
    lookUpInstruments: async () => instruments,
    async fetchSymbolTypes(exchange) {
      asked.push(`types of ${exchange}`);
      return types;
    },
    signal: new AbortController().signal,
  };
  const { jobs, warnings } = await planCatalog(sources, readNautilusOptions(flags), context);
  return {
    jobs: jobs.map(({ key, settings }) => [key, (settings as { instruments: unknown }).instruments]),
    asked,
    warnings,
  };
}

const BOTH = { 'price-precision': '2', 'size-precision': '3' };

test('asks for no facts that flags and exchange make unnecessary', async () => {
  const { jobs, asked } = await plan([source('bitmex', 'trades', 'XBTUSD')], BOTH);
  assert.deepEqual(asked, []);
  assert.deepEqual(jobs, [['trades/bitmex/XBTUSD/2024-03-01', { '*': { price: 2, size: 3, suffix: '' } }]]);
  const types = new Map([['BTCUSDT', 'perpetual']]);
  const binance = await plan([source('binance-futures', 'trades', 'BTCUSDT')], BOTH, { types });
  assert.deepEqual(binance.asked, ['types of binance-futures']);
  assert.deepEqual(binance.jobs[0]?.[1], { '*': { price: 2, size: 3, suffix: '-PERP' } });
  const id = { ...BOTH, 'instrument-id': 'BTCUSDT-PERP.BINANCE' };
  assert.deepEqual((await plan([source('binance-futures', 'trades', 'BTCUSDT')], id)).asked, []);
});

test('takes decimals of increments in any form, and flags before them', async () => {
  const cases = [
    [0.5, 1, { price: 1, size: 0 }],
    ['0.10', '1e-7', { price: 1, size: 7 }],
    [1e-8, 0, { price: 8 }],
    [100, '0.000', { price: 0 }],
  ] as const;
  for (const [priceIncrement, amountIncrement, expected] of cases) {
    const instruments = [instrument('btcusd', { datasetId: 'BTC-USD', priceIncrement, amountIncrement })];
    const { jobs } = await plan([source('coinbase', 'quotes', 'BTC-USD')], {}, { instruments });
    assert.deepEqual(jobs[0]?.[1], { '*': { ...expected, suffix: '' } });
  }
  const instruments = [instrument('BTC-USD', { priceIncrement: 0.01, amountIncrement: 0 })];
  const { jobs } = await plan(
    [source('coinbase', 'quotes', 'BTC-USD')],
    { 'size-precision': '4' },
    { instruments },
  );
  assert.deepEqual(jobs[0]?.[1], { '*': { price: 2, size: 4, suffix: '' } });
});

test('takes the suffix of bybit from types and metadata', async () => {
  const types = new Map([
    ['BTCUSD', 'perpetual'],
    ['BTCUSDT', 'perpetual'],
  ]);
  const instruments = [instrument('BTCUSD', { inverse: true }), instrument('BTCUSDT', { inverse: false })];
  const sources = [source('bybit', 'trades', 'BTCUSD'), source('bybit', 'trades', 'BTCUSDT')];
  const { jobs } = await plan(sources, BOTH, { types, instruments });
  assert.deepEqual(
    jobs.map(([, settings]) => settings),
    [{ '*': { price: 2, size: 3, suffix: '-INVERSE' } }, { '*': { price: 2, size: 3, suffix: '-LINEAR' } }],
  );
  await assert.rejects(plan(sources, BOTH, { types }), /its metadata are not available; set --instrument-id/);
  await assert.rejects(plan(sources, BOTH, { instruments }), /its type is not in the exchange record/);
});

test('plans grouped files with the instruments of the group on that day', async () => {
  const facts = { priceIncrement: 0.1, amountIncrement: 0.01, inverse: false };
  const instruments = [
    instrument('btcusdt', { ...facts, datasetId: 'BTCUSDT' }),
    instrument('later', { ...facts, availableSince: '2024-03-02T00:00:00.000Z' }),
    instrument('ended', { ...facts, availableTo: '2024-02-01T00:00:00.000Z' }),
    instrument('spot', { ...facts, type: 'spot' }),
  ];
  const { jobs, asked } = await plan([source('bybit', 'trades', 'PERPETUALS')], {}, { instruments });
  assert.deepEqual(asked, ['instruments of bybit']);
  assert.deepEqual(jobs[0]?.[1], { BTCUSDT: { price: 1, size: 2, suffix: '-LINEAR' }, '*': {} });
});

test('refuses data that have the same place in a catalog', async () => {
  const quotes = [source('bitmex', 'book_ticker', 'XBTUSD'), source('bitmex', 'quotes', 'XBTUSD')];
  await assert.rejects(
    plan(quotes, BOTH),
    /bitmex XBTUSD 2024-03-01: book_ticker and quotes have the same place in a catalog; select one with -t/,
  );
  const books = [
    source('bitmex', 'book_snapshot_25', 'XBTUSD'),
    source('bitmex', 'book_snapshot_5', 'XBTUSD'),
  ];
  await assert.rejects(plan(books, BOTH), /select one with -t/);
  const twice = [source('bitmex', 'trades', 'XBTUSD'), source('bitmex', 'trades', 'XBTUSD')];
  await assert.rejects(plan(twice, BOTH), /is also trades of bitmex XBTUSD 2024-03-01; export one of them/);
});

test('takes --instrument-id only for one symbol', async () => {
  const id = { ...BOTH, 'instrument-id': 'A.B' };
  const two = [source('bitmex', 'trades', 'XBTUSD'), source('bitmex', 'trades', 'ETHUSD')];
  await assert.rejects(
    plan(two, id),
    /--instrument-id: requires one symbol, not 2 symbols; select one with -s/,
  );
  await assert.rejects(plan([source('bitmex', 'trades', 'PERPETUALS')], id), /a file of many symbols/);
  const types = [source('bitmex', 'trades', 'XBTUSD'), source('bitmex', 'quotes', 'XBTUSD')];
  assert.equal((await plan(types, id)).jobs.length, 2);
});

test('plans bars in place of trades, and also trades with rows', async () => {
  const sources = [source('bitmex', 'trades', 'XBTUSD'), source('bitmex', 'quotes', 'XBTUSD')];
  const keys = async (as: readonly string[]): Promise<readonly string[]> =>
    (await plan(sources, { ...BOTH, as })).jobs.map(([key]) => key);
  assert.deepEqual(await keys(['trade_bar_1m', 'trade_bar_60m']), [
    'bar/1-MINUTE/bitmex/XBTUSD/2024-03-01',
    'bar/1-HOUR/bitmex/XBTUSD/2024-03-01',
    'quotes/bitmex/XBTUSD/2024-03-01',
  ]);
  assert.deepEqual(await keys(['trade_bar_1m', 'rows']), [
    'trades/bitmex/XBTUSD/2024-03-01',
    'bar/1-MINUTE/bitmex/XBTUSD/2024-03-01',
    'quotes/bitmex/XBTUSD/2024-03-01',
  ]);
});

test('warns of bars without trades to make them of', async () => {
  const trades = source('bitmex', 'trades', 'XBTUSD');
  const quotes = source('bitmex', 'quotes', 'XBTUSD');
  const warningsOf = async (sources: readonly ExportSource[], as: readonly string[]) =>
    (await plan(sources, { ...BOTH, as }, { instruments: [instrument('XBTUSD', {})] })).warnings;
  assert.deepEqual(await warningsOf([quotes], ['trade_bar_1m', 'rows']), [
    'no trade_bar_1m: bars are made of trades, and none are among the selected day files',
  ]);
  assert.deepEqual(await warningsOf([quotes, trades], ['trade_bar_1m']), []);
  assert.deepEqual(await warningsOf([quotes], ['rows']), []);
});

test('says which instruments a catalog lacks, and why', async () => {
  const sources = [source('bitmex', 'trades', 'XBTUSD'), source('deribit', 'trades', 'X')];
  assert.deepEqual((await plan(sources, BOTH)).warnings, [
    'the catalog does not get the instruments of bitmex XBTUSD, deribit X, which a backtest needs: there are no metadata; set TICKHAUL_API_KEY and export again',
  ]);
  const { warnings } = await plan([source('bitmex', 'trades', 'XBTUSD')], BOTH, {
    instruments: [instrument('XBTUSD', { type: 'combo' })],
  });
  assert.deepEqual(warnings, ['bitmex XBTUSD: the catalog does not get its instrument: it has no expiry']);
});

test('the precision of a series is that of all versions on its days', async () => {
  const changes = [{ until: '2024-03-01T12:00:00.000Z', priceIncrement: 0.001 }];
  const instruments = [instrument('XBTUSD', { priceIncrement: 0.5, amountIncrement: 1, changes })];
  const days = [source('bitmex', 'trades', 'XBTUSD')];
  const { jobs } = await plan(days, {}, { instruments });
  assert.deepEqual(jobs[0]?.[1], { '*': { price: 3, size: 0, suffix: '' } });
});

test('reduces the steps of bars', () => {
  const steps = {
    trade_bar_100ms: '100-MILLISECOND',
    trade_bar_1000ms: '1-SECOND',
    trade_bar_30000ms: '30-SECOND',
    trade_bar_60s: '1-MINUTE',
    trade_bar_5m: '5-MINUTE',
    trade_bar_120m: '2-HOUR',
    trade_bar_1440m: '1-DAY',
    trade_bar_1000ticks: '1000-TICK',
    trade_bar_50vol: '50-VOLUME',
  };
  for (const [name, step] of Object.entries(steps)) assert.equal(formatBarStep(parseBarName(name)), step);
});

test('refuses flags that a catalog cannot have', () => {
  const cases: readonly (readonly [Parameters<typeof readNautilusOptions>[0], RegExp])[] = [
    [{ as: ['trade_bar_7m'] }, /--as trade_bar_7m: 7 minutes do not divide the next unit/],
    [{ as: ['trade_bar_1500ms'] }, /1500 milliseconds do not divide/],
    [{ as: ['trade_bar_2880m'] }, /2 days do not divide/],
    [{ as: ['trade_bar_0.5vol'] }, /the step of a bar must be a whole number/],
    [{ as: ['book_snapshot_5_1s'] }, /a catalog has only bars and rows/],
    [{ as: ['trade_bars_1m'] }, /is not a computed type/],
    [{ as: ['trade_bar_60s', 'trade_bar_1m'] }, /trade_bar_60s and trade_bar_1m are the same bars/],
    [{ catalog: 'java' }, /--catalog: "java" is not a valid value; use python or rust/],
    [{ precision: '32' }, /--precision: "32" is not a valid value; use 128 or 64/],
    [{ 'price-precision': '17' }, /use 0 to 16 with --precision 128/],
    [{ 'size-precision': '10', precision: '64' }, /use 0 to 9 with --precision 64/],
    [{ 'price-precision': '1.5' }, /"1.5" is not a number of decimals/],
    [{ 'instrument-id': 'BTCUSDT' }, /is not <SYMBOL>.<VENUE>/],
  ];
  for (const [flags, message] of cases) assert.throws(() => readNautilusOptions(flags), message);
});

test('forms venues from exchanges', () => {
  const venues = {
    binance: 'BINANCE',
    'binance-us': 'BINANCE_US',
    'binance-futures': 'BINANCE',
    'binance-delivery': 'BINANCE_DELIVERY',
    'bitfinex-derivatives': 'BITFINEX',
    'coinbase-international': 'COINBASE_INTX',
    'huobi-dm-swap': 'HUOBI_DELIVERY',
    'huobi-dm-linear-swap': 'HUOBI',
    'okex-spreads': 'OKEX',
    'gate-io': 'GATE_IO',
    'dydx-v4': 'DYDX_V4',
    'a-new-exchange': 'A_NEW_EXCHANGE',
    constructor: 'CONSTRUCTOR',
  };
  for (const [exchange, venue] of Object.entries(venues)) {
    assert.equal(formatInstrumentId(exchange, 'btc/usdt', '-PERP'), `BTC/USDT-PERP.${venue}`);
  }
});

test('adds suffixes by type, as the instrument provider does', () => {
  const cases: readonly (readonly [string, string | undefined, boolean | undefined, string | undefined])[] = [
    ['deribit', undefined, undefined, ''],
    ['dydx-v4', 'perpetual', undefined, ''],
    ['dydx', 'perpetual', undefined, '-PERP'],
    ['binance-futures', 'perpetual', undefined, '-PERP'],
    ['binance-futures', 'future', undefined, ''],
    ['binance', 'spot', undefined, ''],
    ['binance-futures', undefined, undefined, undefined],
    ['bybit-spot', 'spot', undefined, '-SPOT'],
    ['bybit', 'perpetual', true, '-INVERSE'],
    ['bybit', 'future', false, '-LINEAR'],
    ['bybit', 'perpetual', undefined, undefined],
    ['bybit-options', 'option', undefined, '-OPTION'],
  ];
  for (const [exchange, type, isInverse, suffix] of cases) {
    assert.equal(findSuffix(exchange, type, isInverse), suffix, `${exchange} ${type}`);
  }
});

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { formatDay, parseDay } from '../../../src/day-files/day.js';
import type { ExportJob, SideFiles } from '../../../src/export/export-target.js';
import { createHftbacktestSetup } from '../../../src/export/hftbacktest/hftbacktest-setup.js';
import type { InstrumentInfo } from '../../../src/service/records/fetch-instruments.js';
import { compilePython, noPython, runWithStubs } from '../../helpers/python.js';
import { tempDir } from '../../helpers/temp.js';
import { deribit, FUTURE, SPOT, XBTUSD } from '../sample-instruments.js';

function jobOf(exchange: string, symbol: string, day: string): ExportJob {
  const file = { exchange, dataType: 'trades', symbol, day: parseDay(day) };
  const sources = [{ path: `${exchange}_trades_${day}_${symbol}.csv.gz`, file }];
  return { target: 'hftbacktest', key: `${exchange} ${day} ${symbol}`, sources, settings: {} };
}

/** Sets up arrays that the jobs have, by default one of the symbol of each. */
async function setUp(
  jobs: readonly ExportJob[],
  instruments: readonly InstrumentInfo[] | undefined,
  symbols?: readonly string[],
): Promise<SideFiles> {
  const asked: string[] = [];
  const setup = await createHftbacktestSetup(
    jobs,
    ({ sources: [source] }) => {
      if (!source) return [];
      const { exchange, symbol, day } = source.file;
      return (symbols ?? [symbol]).map((each) => `${exchange}_${formatDay(day)}_${each}.npz`);
    },
    {
      fetchInstruments: () => assert.fail('needs no more'),
      findInstruments: () => assert.fail('needs no more'),
      fetchSymbolTypes: () => assert.fail('needs no types'),
      async lookUpInstruments(exchange) {
        asked.push(exchange);
        return instruments?.filter((info) => info.exchange === exchange);
      },
      signal: new AbortController().signal,
    },
  );
  assert.deepEqual(asked, [...new Set(asked)], 'each exchange is asked for once');
  return setup;
}

function textsOf({ files }: SideFiles): Readonly<Record<string, string>> {
  return Object.fromEntries(files.map(({ path, bytes }) => [path, Buffer.from(bytes).toString()]));
}

test('an array has the sizes and fees that held at the start of its day', async () => {
  const days = ['2020-08-01', '2024-08-15', '2024-11-01'];
  const setup = await setUp(
    days.map((day) => jobOf('bitmex', 'XBTUSD', day)),
    [XBTUSD],
  );
  assert.deepEqual(setup.messages, []);
  const texts = textsOf(setup);
  const of = (date: string, values: object): object => ({
    exchange: 'bitmex',
    symbol: 'XBTUSD',
    date,
    tick_size: 0.1,
    lot_size: 100,
    asset_type: 'inverse',
    contract_size: 1,
    maker_fee: 0.0002,
    taker_fee: 0.00075,
    ...values,
  });
  for (const expected of [
    of('2020-08-01', { tick_size: 0.5, lot_size: 1 }),
    of('2024-08-15', {}),
    of('2024-11-01', { maker_fee: 0.0005, taker_fee: 0.0005 }),
  ] as { date: string }[]) {
    const text = texts[`bitmex_${expected.date}_XBTUSD.json`] ?? '';
    assert.deepEqual(JSON.parse(text), expected);
    assert.equal(text, `${JSON.stringify(expected, null, 2)}\n`);
  }
});

test('a spot pair is linear, and a rebate is negative', async () => {
  const jobs = [
    jobOf('deribit', 'BTC-14FEB25', '2025-02-01'),
    ...['2023-06-01', '2024-05-01'].map((day) => jobOf('deribit', 'BTC_USDC', day)),
  ];
  const texts = textsOf(await setUp(jobs, [FUTURE, SPOT]));
  const spot = JSON.parse(texts['deribit_2023-06-01_BTC_USDC.json'] ?? '');
  assert.deepEqual([spot.tick_size, spot.asset_type, spot.maker_fee], [0.01, 'linear', 0]);
  assert.equal(JSON.parse(texts['deribit_2024-05-01_BTC_USDC.json'] ?? '').tick_size, 1);
  const future = JSON.parse(texts['deribit_2025-02-01_BTC-14FEB25.json'] ?? '');
  assert.deepEqual([future.tick_size, future.asset_type, future.maker_fee], [2.5, 'inverse', -0.0001]);
});

test('a contract is inverse by its type too', async () => {
  const { inverse: _, ...info } = XBTUSD;
  const texts = textsOf(await setUp([jobOf('bitmex', 'XBTUSD', '2024-03-01')], [info as InstrumentInfo]));
  assert.equal(JSON.parse(texts['bitmex_2024-03-01_XBTUSD.json'] ?? '').asset_type, 'inverse');
  assert.match(texts['run_hftbacktest.py'] ?? '', /\n {4}\.inverse_asset\(1\)\n/);
});

test('each symbol of a grouped file has its own; a size of 0 is unknown', async () => {
  const job = jobOf('deribit', 'SPOT', '2023-06-01');
  const other = deribit('ETH/USDC', 'spot', { priceIncrement: 1e-7, amountIncrement: 0 });
  const texts = textsOf(await setUp([job], [SPOT, other], ['BTC_USDC', 'ETH-USDC']));
  assert.deepEqual(Object.keys(texts), [
    'deribit_2023-06-01_BTC_USDC.json',
    'deribit_2023-06-01_ETH-USDC.json',
    'run_hftbacktest.py',
  ]);
  const facts = JSON.parse(texts['deribit_2023-06-01_ETH-USDC.json'] ?? '');
  assert.deepEqual([facts.symbol, facts.tick_size, facts.lot_size], ['ETH-USDC', 1e-7, null]);
  const [noFees] = Object.values(textsOf(await setUp([job], [other], ['ETH-USDC']))).slice(-1);
  assert.match(
    noFees ?? '',
    /\nMAKER_FEE, TAKER_FEE = 0, 0 {2}# not in the instrument metadata: set yours\n/,
  );
});

test('without metadata there is a warning, and a script that asks for the sizes', async () => {
  const { files, messages, script } = await setUp([jobOf('bitmex', 'XBTUSD', '2024-03-01')], undefined);
  assert.deepEqual(
    files.map(({ path, isEditable }) => [path, isEditable]),
    [['run_hftbacktest.py', true]],
  );
  assert.equal(messages?.length, 1);
  assert.equal(messages[0]?.event, 'warning');
  assert.match(
    messages[0].message,
    /fees of bitmex XBTUSD are unknown.*set TICKHAUL_API_KEY and export again/,
  );
  assert.deepEqual(script?.command('npz/run_hftbacktest.py', 'npz'), ['python3', 'npz/run_hftbacktest.py']);
  assert.match(Buffer.from(files[0]?.bytes ?? []).toString(), /TICK_SIZE, LOT_SIZE = None, None\n/);
});

test('nothing is asked without an array', async () => {
  const context = {
    fetchInstruments: () => assert.fail(),
    findInstruments: () => assert.fail(),
    lookUpInstruments: () => assert.fail(),
    fetchSymbolTypes: () => assert.fail(),
    signal: new AbortController().signal,
  };
  const jobs = [jobOf('bitmex', 'XBTUSD', '2024-03-01')];
  assert.deepEqual(await createHftbacktestSetup(jobs, () => [], context), { files: [] });
});

test('the script runs over the days with the same values', { skip: noPython('py_compile') }, async (t) => {
  const days = ['2024-07-30', '2024-07-31', '2024-08-01', '2024-08-02'];
  const jobs = [
    ...days.map((day) => jobOf('bitmex', 'XBTUSD', day)),
    jobOf('bitmex', 'ETHUSD', '2024-07-30'),
  ];
  const dir = await tempDir(t);
  const script = join(dir, 'run_hftbacktest.py');
  const write = async (instruments: readonly InstrumentInfo[] | undefined): Promise<void> =>
    writeFile(script, textsOf(await setUp(jobs, instruments))['run_hftbacktest.py'] ?? '');
  await write([XBTUSD, { ...XBTUSD, id: 'ETHUSD' }]);
  for (const name of [...days.map((day) => `bitmex_${day}_XBTUSD`), 'bitmex_2024-07-30_ETHUSD', 'latency'])
    await writeFile(join(dir, `${name}.npz`), '');
  const calls = runWithStubs(script, ['hftbacktest', 'numba']);
  const selected = ['2024-07-30', '2024-07-31'].map((day) => join(dir, `bitmex_${day}_XBTUSD.npz`));
  assert.deepEqual(
    calls.map(({ name, args }) => [name.slice(name.lastIndexOf('.') + 1), ...args]),
    [
      ['BacktestAsset'],
      ['data', `[${selected.map((path) => `'${path}'`).join(', ')}]`],
      ['inverse_asset', '1'],
      ['constant_order_latency', '10000000', '10000000'],
      ['risk_adverse_queue_model'],
      ['no_partial_fill_exchange'],
      ['trading_value_fee_model', '0.0002', '0.00075'],
      ['tick_size', '0.5'],
      ['lot_size', '100'],
      ['HashMapMarketDepthBacktest', `[${calls.at(-4)?.name}()]`],
      ['elapse', '3600000000000'],
      ['close'],
    ],
  );
  await write(undefined);
  compilePython(script);
  assert.throws(() => runWithStubs(script, ['hftbacktest', 'numba']), /set TICK_SIZE and LOT_SIZE/);
});

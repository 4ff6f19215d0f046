import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseDay } from '../../../src/day-files/day.js';
import { createInstrumentRow, type InstrumentRow } from '../../../src/export/nautilus/instrument-file.js';
import { createNautilusScript } from '../../../src/export/nautilus/nautilus-setup.js';
import type { InstrumentInfo } from '../../../src/service/records/fetch-instruments.js';
import { noPython, runWithStubs, type StubCall } from '../../helpers/python.js';
import { tempDir } from '../../helpers/temp.js';
import { SPOT, XBTUSD } from '../sample-instruments.js';

function rowOf(info: InstrumentInfo, id: string): InstrumentRow {
  const row = createInstrumentRow(info, parseDay('2024-11-01'), id, { price: 1, size: 4 });
  assert.ok(typeof row === 'object', String(row));
  return row;
}

const ROWS = [rowOf(XBTUSD, 'XBT/USD.BITMEX'), rowOf(SPOT, 'BTC_USDC.DERIBIT')];

const pathOf = (folder: string, name: string): string => `data/${folder}/${name}/2024_2024.parquet`;

test('there is no script for instruments without data', () => {
  assert.equal(createNautilusScript('python', ROWS, [], []), undefined);
  assert.equal(
    createNautilusScript('rust', ROWS, [pathOf('trades', 'OTHER.BITMEX')], ['trade_bar_1m']),
    undefined,
  );
  assert.equal(createNautilusScript('python', [], [pathOf('trade_tick', 'XBTUSD.BITMEX')], []), undefined);
});

const CASES = [
  { folders: ['quote_tick', 'trade_tick'], type: 'TradeTick', subscribe: 'subscribe_trade_ticks' },
  { folders: ['order_book_deltas', 'quote_tick'], type: 'QuoteTick', subscribe: 'subscribe_quote_ticks' },
  {
    folders: ['order_book_deltas', 'order_book_depths'],
    type: 'OrderBookDelta',
    subscribe: 'subscribe_order_book_deltas',
  },
  { folders: ['order_book_depths'], type: 'OrderBookDepth10', subscribe: 'subscribe_order_book_depth' },
] as const;

for (const { folders, type, subscribe } of CASES)
  test(`a script of ${type} buys once`, { skip: noPython('py_compile') }, async (t) => {
    const dir = await tempDir(t);
    const calls = await runScript(
      dir,
      folders.map((folder) => pathOf(folder, 'XBTUSD.BITMEX')),
    );
    const isBook = type.startsWith('OrderBook');
    assert.deepEqual(find(calls, 'BacktestVenueConfig').named, {
      name: 'BITMEX',
      oms_type: 'NETTING',
      account_type: 'MARGIN',
      starting_balances: "['1000000 BTC']",
      ...(isBook && { book_type: 'L2_MBP' }),
    });
    assert.deepEqual(find(calls, 'ParquetDataCatalog().instruments').named, {
      instrument_ids: "['XBT/USD.BITMEX']",
    });
    const { data_cls, catalog_path, instrument_id } = find(calls, 'BacktestDataConfig').named;
    assert.deepEqual([data_cls, catalog_path], [type, dir]);
    assert.equal(instrument_id, 'ParquetDataCatalog().instruments().id');
    assert.deepEqual(find(calls, `self.${subscribe}`).args, [instrument_id]);
    assert.equal(calls.filter(({ name }) => name === 'self.submit_order').length, 1);
    assert.equal(calls.at(-1)?.name, 'self.close_all_positions');
  });

test('a spot pair has an account of both currencies, and bars have their type', {
  skip: noPython('py_compile'),
}, async (t) => {
  const dir = await tempDir(t);
  const barType = 'BTC_USDC.DERIBIT-1-MINUTE-LAST-EXTERNAL';
  const calls = await runScript(dir, [pathOf('bar', barType)]);
  const { account_type, starting_balances } = find(calls, 'BacktestVenueConfig').named;
  assert.deepEqual([account_type, starting_balances], ['CASH', "['1000000 BTC', '1000000 USDC']"]);
  const { data_cls, bar_types } = find(calls, 'BacktestDataConfig').named;
  assert.deepEqual([data_cls, bar_types], ['Bar', `['${barType}']`]);
  assert.deepEqual(find(calls, 'BarType.from_str').args, [barType]);
  assert.deepEqual(find(calls, 'self.subscribe_bars').args, ['BarType.from_str()']);
  assert.equal(find(calls, 'on_bar').name, 'on_bar');
});

test('a script for the Rust version reads the same data', { skip: noPython('py_compile') }, async (t) => {
  const dir = await tempDir(t);
  const deltas = await runScript(dir, [pathOf('order_book_deltas', 'XBTUSD.BITMEX')], 'rust');
  assert.deepEqual(find(deltas, 'BacktestVenueConfig').named, {
    name: 'BITMEX',
    oms_type: 'OmsType.NETTING',
    account_type: 'AccountType.MARGIN',
    book_type: 'BookType.L2_MBP',
    starting_balances: "['1000000 BTC']",
  });
  assert.deepEqual(find(deltas, 'InstrumentId.from_str').args, ['XBT/USD.BITMEX']);
  const { data_type, catalog_path, instrument_id } = find(deltas, 'BacktestDataConfig').named;
  assert.deepEqual(
    [data_type, catalog_path, instrument_id],
    ['OrderBookDelta', dir, 'InstrumentId.from_str()'],
  );
  const trades = await runScript(dir, [pathOf('trades', 'BTC_USDC.DERIBIT')], 'rust');
  assert.equal(find(trades, 'BacktestDataConfig').named['data_type'], 'TradeTick');
  const { account_type, book_type } = find(trades, 'BacktestVenueConfig').named;
  assert.deepEqual([account_type, book_type], ['AccountType.CASH', 'BookType.L1_MBP']);
  const barType = 'BTC_USDC.DERIBIT-1-MINUTE-LAST-EXTERNAL';
  const bars = await runScript(dir, [pathOf('bars', barType)], 'rust');
  assert.equal(find(bars, 'BacktestDataConfig').named['bar_types'], `['${barType}']`);
});

async function runScript(
  dir: string,
  paths: readonly string[],
  catalog: 'python' | 'rust' = 'python',
): Promise<readonly StubCall[]> {
  const script = createNautilusScript(catalog, ROWS, paths, ['trade_bar_5m', 'trade_bar_1m']);
  assert.ok(script?.isEditable);
  await writeFile(join(dir, script.path), script.bytes);
  return runWithStubs(join(dir, script.path), ['nautilus_trader']);
}

function find(calls: readonly StubCall[], wanted: string): StubCall {
  const found = calls.find(({ name }) => name === wanted);
  assert.ok(found, `${wanted} is not called: ${calls.map(({ name }) => name).join()}`);
  return found;
}

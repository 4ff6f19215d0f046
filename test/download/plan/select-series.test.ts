import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Selection } from '../../../src/download/download-options.js';
import { plan, reported, symbol } from './planning.js';

test('"all" selects all symbols except the grouped ones', async (t) => {
  const { files } = await plan(t, { types: ['all'], symbols: ['all'], date: ['2024-03-08'] });
  const symbols = new Set([...files()].map((p) => p.file.symbol));
  assert.deepEqual([...symbols].sort(), ['BTC-29MAR24', 'BTC-PERPETUAL', 'ETH-PERPETUAL']);
});

test('symbols of a glob without days in the range are left out, unless no other is left', async (t) => {
  const none = await plan(t, { symbols: ['BTC-1MAR*'], date: ['2024-03-08'] });
  assert.deepEqual(reported(none.files()), ['BTC-1MAR24 trades 2024-03-08 unavailable']);
  const some = await plan(t, { symbols: ['BTC-*'], date: ['2024-02-08'] });
  assert.equal(reported(some.files()).length, 3);
});

test('a grouped symbol can be selected by name', async (t) => {
  const { files } = await plan(t, { types: ['options_chain'], symbols: ['options'], date: ['2024-03-08'] });
  assert.deepEqual(reported(files()), ['OPTIONS options_chain 2024-03-08 download']);
});

test('a data type that a named symbol lacks is unavailable; one that a glob’s symbol lacks is left out', async (t) => {
  const day = { types: ['quotes'], date: ['2024-03-08'] };
  const named = await plan(t, { ...day, symbols: ['BTC-29MAR24'] });
  assert.deepEqual(reported(named.files()), ['BTC-29MAR24 quotes 2024-03-08 unavailable']);
  const glob = await plan(t, { ...day, symbols: ['BTC*'] });
  assert.deepEqual(reported(glob.files()), ['BTC-PERPETUAL quotes 2024-03-08 download']);
});

test('--symbol-type keeps only symbols of these types', async (t) => {
  const { files } = await plan(t, { symbols: ['BTC*'], symbolTypes: ['perpetual'], date: ['2024-03-08'] });
  assert.deepEqual(reported(files()), ['BTC-PERPETUAL trades 2024-03-08 download']);
});

for (const [selection, said] of [
  [{ symbols: ['BTC-PERPETUL'] }, /unknown symbol "BTC-PERPETUL" on deribit; did you mean BTC-PERPETUAL,/],
  [{ symbols: ['DOGE*'] }, /no symbol on deribit matches "DOGE\*"/],
  [{ types: ['trade'] }, /unknown data type "trade" for deribit; did you mean trades\?/],
  [{ symbols: ['all'], symbolTypes: ['futures'] }, /unknown symbol type "futures".*did you mean future\?/],
  [
    { symbols: ['BTC-29MAR24'], symbolTypes: ['option'] },
    /--symbol-type option: no selected symbol on deribit has this type; they have future/,
  ],
  [
    { symbols: ['BTC-29*'], types: ['quotes'] },
    /^--type quotes: none of the selected symbols on deribit has this data type; they have trades$/,
  ],
  [{ date: ['2024-02-30'] }, /"2024-02-30" is not a valid calendar date/],
  [
    { from: '2024-03-05', to: '2024-03-05', date: undefined },
    /--to 2024-03-05 is exclusive, so it must be after --from/,
  ],
  [{ from: '2024-03-05' }, /only one of: --date, or --from with --to/],
  [{ date: undefined, to: '2024-03-05' }, /--to requires --from/],
  [{ date: undefined }, /no days selected/],
  [{ symbols: [] }, /no symbol selected/],
  [{ types: [] }, /no data type selected/],
  [{ layout: '{symbol}' }, /different day files one name/],
] as const) {
  test(`refused: ${JSON.stringify(selection)}`, async (t) => {
    await assert.rejects(plan(t, { date: ['2024-03-08'], ...(selection as Partial<Selection>) }), {
      code: 'usage',
      message: said,
    });
  });
}

test('an exchange without datasets is refused', async (t) => {
  await assert.rejects(plan(t, { date: ['2024-03-08'] }, { record: { id: 'deribit' } }), {
    message: /has no datasets/,
  });
});

test('refuses a symbol without data types, also for "all"', async (t) => {
  const symbols = [symbol('A', 'spot', [])];
  const record = { id: 'x', datasets: { exportedUntil: '2024-03-10T00:00:00.000Z', symbols } };
  await assert.rejects(plan(t, { types: ['all'], symbols: ['A'], date: ['2024-03-08'] }, { record }), {
    message: '--type all: none of the selected symbols on x has this data type; they have none',
  });
});

test('refuses two symbols with the same file names', async (t) => {
  const symbols = [symbol('A*B', 'spot', ['trades']), symbol('A-B', 'spot', ['trades'])];
  const record = { id: 'x', datasets: { exportedUntil: '2024-03-10T00:00:00.000Z', symbols } };
  await assert.rejects(plan(t, { symbols: ['all'], date: ['2024-03-08'] }, { record }), {
    message: /share the name/,
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { parseDay } from '../../../src/day-files/day.js';
import {
  createInstrumentRow,
  encodeInstrument,
  formatInstrumentPath,
  type InstrumentRow,
} from '../../../src/export/nautilus/instrument-file.js';
import { type InstrumentInfo, instrumentBetween } from '../../../src/service/records/fetch-instruments.js';
import { deribit, FUTURE, OPTION, SPOT, XBTUSD } from '../sample-instruments.js';

function rowOf(info: InstrumentInfo, day: string, price: number, size: number): InstrumentRow {
  const venue = info.exchange.toUpperCase();
  const row = createInstrumentRow(info, parseDay(day), `${info.id}.${venue}`, { price, size });
  assert.ok(typeof row === 'object', String(row));
  return row;
}

const REST = {
  max_quantity: null,
  max_notional: null,
  min_notional: null,
  max_price: null,
  min_price: null,
  margin_init: '0',
  margin_maint: '0',
};

test('a perpetual has the values of the day: increments, fees, and the start of their validity', () => {
  const same = {
    ...REST,
    id: 'XBTUSD.BITMEX',
    raw_symbol: 'XBTUSD',
    base_currency: 'BTC',
    quote_currency: 'USD',
    settlement_currency: 'BTC',
    is_inverse: true,
    price_precision: 1,
    size_precision: 0,
    multiplier: '1',
    info: Buffer.from(JSON.stringify(XBTUSD)),
  };
  const of = (price: string, size: string, maker: string, taker: string, since: bigint) => ({
    ...same,
    price_increment: price,
    size_increment: size,
    lot_size: size,
    min_quantity: size,
    maker_fee: maker,
    taker_fee: taker,
    ts_event: since,
    ts_init: since,
  });
  for (const [day, expected] of [
    ['2024-11-01', of('0.1', '100', '0.0005', '0.0005', 1729555200000000000n)],
    ['2024-08-15', of('0.1', '100', '0.0002', '0.00075', 1722398400000000000n)],
    ['2020-08-01', of('0.5', '1', '0.0002', '0.00075', 1553904000000000000n)],
  ] as const)
    assert.deepEqual(rowOf(XBTUSD, day, 1, 0).values, expected, day);
  assert.equal(
    formatInstrumentPath('python', rowOf(XBTUSD, '2024-11-01', 1, 0)),
    'data/crypto_perpetual/XBTUSD.BITMEX/2024-10-22T00-00-00-000000000Z_2024-10-22T00-00-00-000000000Z.parquet',
  );
});

test('a spot pair has the increment of its day', () => {
  const before = rowOf(SPOT, '2023-06-01', 2, 4);
  assert.equal(before.class, 'CurrencyPair');
  assert.equal(before.values['price_increment'], '0.01');
  assert.equal(before.values['size_increment'], '0.0001');
  assert.equal(before.since, 1682294400000000000n);
  const after = rowOf(SPOT, '2024-05-01', 0, 4);
  assert.equal(after.values['price_increment'], '1');
  assert.equal(after.values['min_quantity'], '0.0001');
  assert.equal(after.since, 1712059800000000000n);
  assert.match(formatInstrumentPath('python', after), /^data\/currency_pair\/BTC_USDC\.DERIBIT\//);
  assert.match(formatInstrumentPath('rust', after), /^data\/instruments\/BTC_USDC\.DERIBIT\//);
});

test('options and futures have their expiry; a fee may be negative', () => {
  const option = rowOf(OPTION, '2025-03-01', 4, 1);
  const pick = (row: InstrumentRow, ...names: string[]) => names.map((name) => row.values[name]);
  assert.deepEqual(
    pick(option, 'underlying', 'quote_currency', 'settlement_currency', 'is_inverse', 'option_kind'),
    ['BTC', 'BTC', 'BTC', true, 'Put'],
  );
  assert.deepEqual(pick(option, 'strike_price', 'activation_ns', 'expiration_ns', 'price_increment'), [
    '200000.0000',
    1738281600000000000n,
    1745568000000000000n,
    '0.0001',
  ]);
  const future = rowOf(FUTURE, '2025-02-01', 1, 0);
  assert.deepEqual(pick(future, 'expiration_ns', 'price_increment', 'lot_size', 'maker_fee', 'taker_fee'), [
    1739520000000000000n,
    '2.5',
    '10',
    '-0.0001',
    '0.0005',
  ]);
});

test('an increment is padded to the precision of the data, and a finer one is refused', () => {
  assert.equal(rowOf(XBTUSD, '2020-08-01', 2, 0).values['price_increment'], '0.50');
  const day = parseDay('2024-11-01');
  assert.equal(
    createInstrumentRow(XBTUSD, day, 'XBTUSD.BITMEX', { price: 0, size: 0 }),
    'its price increment 0.1 has more than 0 decimals',
  );
  const combo = deribit('BTC-FS-28MAR25_PERP', 'combo', { priceIncrement: 0.5, amountIncrement: 10 });
  assert.equal(createInstrumentRow(combo, day, 'x.DERIBIT', { price: 1, size: 0 }), 'it has no expiry');
});

test('metadata that no instrument can have say why there is none', () => {
  const reasonOf = (info: InstrumentInfo) =>
    createInstrumentRow(info, parseDay('2025-03-01'), 'x.DERIBIT', { price: 4, size: 1 });
  assert.equal(reasonOf({ ...OPTION, strikePrice: undefined }), 'its kind or strike price is unknown');
  for (const expiry of ['1969-12-31', '+100000-01-01T00:00:00Z', 'never'])
    assert.equal(reasonOf({ ...OPTION, expiry }), 'it has no expiry');
  for (const availableSince of ['soon', '1969-12-31'])
    assert.equal(
      reasonOf({ ...OPTION, availableSince }),
      `its availableSince ${availableSince} is not a time from 1970 on`,
    );
  assert.equal(
    reasonOf({ ...OPTION, type: 'constructor' }),
    'NautilusTrader has no instrument of type constructor',
  );
  // NautilusTrader refuses a multiplier of 0.
  const row = reasonOf({ ...OPTION, contractMultiplier: 0 });
  assert.equal(typeof row === 'object' && row.values['multiplier'], '1');
});

test('the decimals of a period are those of all of its versions', () => {
  const decimals = (from: string, to: string) =>
    instrumentBetween(SPOT, parseDay(from), parseDay(to)).map(({ priceIncrement }) => priceIncrement);
  assert.deepEqual(decimals('2024-04-01', '2024-04-02'), ['0.01']);
  assert.deepEqual(decimals('2024-04-01', '2024-04-05'), ['0.01', '1']);
  assert.deepEqual(decimals('2024-05-01', '2024-05-02'), ['1']);
});

for (const catalog of ['python', 'rust'] as const)
  for (const [info, size] of [
    [XBTUSD, 0],
    [SPOT, 4],
    [OPTION, 1],
    [FUTURE, 0],
  ] as const)
    test(`${catalog}: independent readers read a ${info.type}`, async () => {
      const row = rowOf(info, '2025-02-01', 4, size);
      const bytes = await encodeInstrument(row, catalog);
      const file = Uint8Array.from(bytes).buffer;
      assert.equal(
        parquetMetadata(file).key_value_metadata?.find(({ key }) => key === 'class')?.value,
        row.class,
      );
      const [read] = await parquetReadObjects({ file, utf8: false });
      const expected = Object.entries(row.values).map(([name, value]) => [
        name,
        value instanceof Uint8Array ? Uint8Array.from(value) : value,
      ]);
      assert.deepEqual(Object.entries(read ?? {}), expected);
    });

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findSuffix, formatInstrumentId } from '../../../src/export/nautilus/catalog-instrument.js';

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

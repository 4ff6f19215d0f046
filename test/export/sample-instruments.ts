import type { InstrumentInfo } from '../../src/service/records/fetch-instruments.js';

export const XBTUSD: InstrumentInfo = {
  id: 'XBTUSD',
  exchange: 'bitmex',
  baseCurrency: 'BTC',
  quoteCurrency: 'USD',
  settlementCurrency: 'BTC',
  type: 'perpetual',
  active: true,
  availableSince: '2019-03-30T00:00:00.000Z',
  priceIncrement: 0.1,
  amountIncrement: 100,
  minTradeAmount: 100,
  makerFee: 0.0005,
  takerFee: 0.0005,
  inverse: true,
  contractType: 'inverse_perpetual',
  contractMultiplier: 1,
  changes: [
    { until: '2021-06-08T04:30:00.000Z', amountIncrement: 1, minTradeAmount: 1 },
    { until: '2024-07-31T04:00:00.000Z', priceIncrement: 0.5 },
    { until: '2024-10-22T00:00:00.000Z', makerFee: 0.0002, takerFee: 0.00075 },
  ],
};

/** An instrument of deribit. */
export const deribit = (id: string, type: string, fields: object): InstrumentInfo => ({
  id,
  exchange: 'deribit',
  baseCurrency: 'BTC',
  quoteCurrency: 'USD',
  type,
  active: true,
  availableSince: '2025-01-31T00:00:00.000Z',
  ...fields,
});

export const SPOT = deribit('BTC_USDC', 'spot', {
  quoteCurrency: 'USDC',
  availableSince: '2023-04-24T00:00:00.000Z',
  priceIncrement: 1,
  amountIncrement: 0.0001,
  minTradeAmount: 0.0001,
  makerFee: 0,
  takerFee: 0,
  changes: [{ until: '2024-04-02T12:10:00.000Z', priceIncrement: 0.01 }],
});

export const OPTION = deribit('BTC-25APR25-200000-P', 'option', {
  quoteCurrency: 'BTC',
  expiry: '2025-04-25T08:00:00.000Z',
  priceIncrement: 0.0001,
  amountIncrement: 0.1,
  minTradeAmount: 0.1,
  makerFee: 0.0003,
  takerFee: 0.0003,
  inverse: true,
  strikePrice: 200_000,
  optionType: 'put',
});

export const FUTURE = deribit('BTC-14FEB25', 'future', {
  expiry: '2025-02-14T08:00:00.000Z',
  priceIncrement: 2.5,
  amountIncrement: 10,
  minTradeAmount: 10,
  makerFee: -0.0001,
  takerFee: 0.0005,
  inverse: true,
});

import type { Random } from '../../../src/sandbox/simulation/seeded-random.js';
import { pick } from '../../format/fuzz/random-rows.js';

/** A trade message of Binance, sometimes with unusual parts. @param start milliseconds. */
export function randomTrade(random: Random, start: number): string {
  const number = (): string => `${random.int(10 ** random.int(6))}.${random.int(10 ** 6)}`;
  const odd = random.chance(0.3);
  const value = (usual: string, ...others: readonly string[]): string =>
    odd && random.chance(0.2) ? pick(random, others) : usual;
  const symbol = pick(random, ['BTCUSDT', 'ETHUSD_PERP', '币安人生USDT']);
  const time = value(
    String(start + random.int(1e6)),
    '0',
    '1709251200000123',
    '1709251200000.5',
    '1.7e12',
    '-1',
  );
  const text = (usual: string): string =>
    value(
      `"${usual}"`,
      usual,
      '""',
      'null',
      '"1e3"',
      '"-0"',
      '" 5"',
      '"0x10"',
      '"\\u0031"',
      '"Infinity"',
      '[]',
    );
  const fields = {
    ...{ e: value('"trade"', '"aggTrade"', '1'), E: time },
    ...(random.chance(0.5) && { T: time }),
    ...{ s: text(symbol), t: value(String(random.int(1e9)), '9007199254740993', '1e3', '-1', '0.5', '"7"') },
    ...{ p: text(number()), q: text(number()) },
    ...(random.chance(0.3) && { X: pick(random, ['"MARKET"', '"ADL"', '"NA"', '"INSURANCE_FUND"']) }),
    ...(random.chance(0.3) && { b: '12', a: value('0', '1.5', 'null') }),
  };
  const isSpot = !('T' in fields);
  const m = value(String(random.chance(0.5)), '0', '1', 'null', '"false"');
  const all = { ...fields, ...(isSpot && { T: time }), m, ...(isSpot && { M: value('true', '1') }) };
  const data = Object.entries(all).map(([key, cell]) => `"${key}":${cell}`);
  const stream = value(
    `${symbol.toLowerCase()}@trade`,
    'x@depth@100ms',
    '@trade',
    'x@trade@y',
    'a\\u0040trade',
  );
  return `{"stream":"${stream}","data":{${data.join()}}}`;
}

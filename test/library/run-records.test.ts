import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exchanges, instruments, symbols } from '../../src/index.js';
import { envOf } from '../helpers/cli.js';
import { forward } from '../helpers/forward.js';
import { runHere } from '../helpers/in-process.js';
import { serve } from '../service/loopback.js';
import { errorOf, eventsOf, place } from './calls.js';

test('results are those of --json, and the iterable yields their elements', async (t) => {
  const { service, dir } = await place(t);
  const env = envOf(service, dir);
  const printed = async (...words: readonly string[]): Promise<unknown> =>
    JSON.parse((await runHere([...words, '--json'], { env })).stdout);

  const all = exchanges();
  const events = await eventsOf(all);
  assert.deepEqual(await all, await printed('exchanges'));
  assert.deepEqual(
    events,
    (await all).map((exchange) => ({ ...exchange, event: 'exchange' })),
  );
  const one = await exchanges({ exchange: 'Deribit' });
  assert.deepEqual(one, await printed('exchanges', 'deribit'));
  assert.deepEqual(one.messages.option_summary, { feeds: true, live: true });

  const found = symbols({ symbols: 'BTC*USDT', types: ['trades'] });
  assert.deepEqual(
    (await eventsOf(found)).map((event) => event.event === 'symbol' && [event.exchange, event.id]),
    [
      ['binance-futures', 'BTCUSDT'],
      ['bybit', 'BTCUSDT'],
      ['huobi', 'BTCUSDT'],
    ],
  );
  assert.deepEqual(await found, await printed('symbols', '*', 'BTC*USDT', '-t', 'trades'));
  const options = { exchange: ['deribit'], symbolTypes: 'option', on: '2024-03-01' };
  assert.deepEqual(
    await symbols(options),
    await printed('symbols', 'deribit', '--symbol-type', 'option', '--on', '2024-03-01'),
  );

  assert.deepEqual(
    await instruments({ exchange: 'bitmex', base: ['BTC'], active: true }),
    await printed('instruments', 'bitmex', '--base', 'BTC', '--active'),
  );
  assert.equal((await instruments({ exchange: 'bitmex', symbol: 'xbtusd' })).id, 'XBTUSD');
});

test('errors name options, and warnings are events', async (t) => {
  await place(t);
  const run = symbols({ exchange: 'deribit', symbols: 'ZZZ*' });
  const [warning] = await eventsOf(run);
  assert.match(warning?.event === 'warning' ? warning.message : '', /^no symbol on deribit matches "ZZZ\*"/);
  assert.deepEqual(await run, []);
  const cases: readonly (readonly [() => Promise<unknown>, RegExp])[] = [
    [() => exchanges({ exchange: 'deribi' }), /^unknown exchange "deribi"; did you mean deribit\?/],
    [() => symbols({ glob: 'BTC*' } as object), /^unknown option "glob"/],
    [() => symbols({ types: 'tradez' as 'trades' }), /^unknown data type "tradez"; did you mean trades\?/],
    [() => instruments({} as { exchange: string; symbol: undefined }), /^exchange is required/],
    [
      () => instruments({ exchange: 'bitmex', active: true, noActive: true }),
      /^active and noActive exclude all/,
    ],
    [() => instruments({ exchange: 'bitmex', filter: '[1]' }), /^filter: expected a JSON object/],
  ];
  for (const [call, message] of cases) {
    const error = await errorOf(call());
    assert.deepEqual([error.code, error.exitCode], ['usage', 2]);
    assert.match(error.message, message);
  }
});

test('if a record cannot be read, the iterable has the symbols of other exchanges, and both fail', async (t) => {
  const { service } = await place(t);
  const pass = forward(service.apiUrl);
  const apiUrl = await serve(t, (request, response) => {
    if (request.url === '/v1/exchanges/bybit') response.end('<html>');
    else pass(request, response);
  });
  const run = symbols({ apiUrl, symbols: 'BTC*USDT' });
  const found: string[] = [];
  const reading = (async () => {
    for await (const event of run) found.push(event.event === 'symbol' ? event.exchange : event.event);
  })();
  const error = await errorOf(reading);
  assert.deepEqual([error.code, error.exitCode], ['bad_answer', 5]);
  assert.match(error.message, /^the symbols of bybit are missing \(1 of 10 exchanges\): /);
  assert.deepEqual(found, ['warning', 'binance-futures', 'huobi']);
  assert.equal(await errorOf(run), error);
});

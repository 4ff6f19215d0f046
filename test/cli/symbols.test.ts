import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { type TestContext, test } from 'node:test';
import { envOf } from '../helpers/cli.js';
import { forward } from '../helpers/forward.js';
import { runHere } from '../helpers/in-process.js';
import { sandbox, sandboxAndFolder } from '../helpers/sandbox.js';
import { tempDir } from '../helpers/temp.js';
import { serve } from '../service/loopback.js';

const SEARCH = ['symbols', '*', 'BTC*USDT', '-t', 'trades'];

/** Exchange and id of each symbol in a JSON document. */
function namesIn(stdout: string): readonly string[] {
  return (JSON.parse(stdout) as { exchange: string; id: string }[]).map(
    ({ exchange, id }) => `${exchange} ${id}`,
  );
}

test('a glob of exchanges searches all of them, by fresh stored records', async (t) => {
  const { service, env } = await sandboxAndFolder(t);
  const { exitCode, stdout, stderr } = await runHere(SEARCH, { env });
  assert.deepEqual([exitCode, stderr], [0, '']);
  assert.match(stdout, /^exchange +symbol +type +since +until +data types\n/);
  const found = [...stdout.matchAll(/^([a-z-]+) +(BTC\S+) +(\w+) +\d/gm)].map((match) => match.slice(1));
  assert.deepEqual(found, [
    ['binance-futures', 'BTCUSDT', 'perpetual'],
    ['bybit', 'BTCUSDT', 'perpetual'],
    ['huobi', 'BTCUSDT', 'spot'],
  ]);
  const asked = service.requests.length;
  const again = await runHere([...SEARCH, '--json'], { env });
  assert.deepEqual(namesIn(again.stdout), ['binance-futures BTCUSDT', 'bybit BTCUSDT', 'huobi BTCUSDT']);
  assert.equal(service.requests.length, asked, 'records younger than an hour are not requested');
  assert.ok(!service.requests.some(({ url }) => url.endsWith('/star-atlas')), 'it has no datasets');
});

test('without an exchange all are searched; a single argument names exchanges', async (t) => {
  const env = envOf(await sandbox(t), await tempDir(t));
  const namesOf = async (...words: readonly string[]): Promise<readonly string[]> => {
    const { exitCode, stdout, stderr } = await runHere(['symbols', ...words, '--json'], { env });
    assert.deepEqual([exitCode, stderr], [0, ''], words.join(' '));
    return namesIn(stdout);
  };
  const futures = ['bitmex XBTM20', 'binance-futures BTCUSDT_210326'];
  assert.deepEqual(await namesOf('--symbol-type', 'future'), futures);
  assert.deepEqual(await namesOf('-t', 'Options_Chain', '--symbol-type', 'Option'), ['deribit OPTIONS']);
  assert.deepEqual(await namesOf('-t', 'options_chain'), ['deribit OPTIONS']);
  assert.deepEqual(await namesOf('B*', 'ETHUSD?'), ['binance-futures ETHUSDT', 'bybit ETHUSDT']);
  assert.deepEqual(await namesOf('kraken'), ['kraken XBT-USD', 'kraken ETH-EUR']);
  assert.deepEqual(await namesOf('huobi,kraken', '-s', 'eth/eur,HTUSDT'), ['huobi HTUSDT', 'kraken ETH-EUR']);
  assert.deepEqual(await namesOf('*', 'BTCUSDT', '--on', '2022-01-01'), [
    'binance-futures BTCUSDT',
    'huobi BTCUSDT',
  ]);
  assert.equal((await namesOf()).length, (await namesOf('*')).length);
});

test('a name that no exchange has is a usage error, or a warning if it is a glob', async (t) => {
  const env = envOf(await sandbox(t), await tempDir(t));
  const cases: readonly (readonly [readonly string[], number, RegExp])[] = [
    [['binanze*'], 2, /no exchange with datasets matches "binanze\*"; did you mean binance\*\?/],
    [['zzz*'], 2, /no exchange with datasets matches "zzz\*"; run tickhaul exchanges to list them/],
    [['star*'], 2, /no exchange with datasets matches "star\*"/],
    [['bybit,huoby'], 2, /unknown exchange "huoby"; did you mean huobi\?/],
    [['star-atlas,bybit'], 2, /no datasets are available for exchange "star-atlas"/],
    [['*', 'BTCUSDX'], 2, /unknown symbol "BTCUSDX"; did you mean BTCUSDT/],
    [['*', 'NOT-LISTED-1'], 2, /unknown symbol "NOT-LISTED-1"; no exchange has it/],
    [['-t', 'tradez'], 2, /unknown data type "tradez"; did you mean trades\?/],
    [['b*', '--symbol-type', 'xyz'], 2, /unknown symbol type "xyz"; there are future, perpetual\n/],
    [['b*', 'ETC', 'XBTUSD'], 2, /unknown symbol "ETC"/],
    [
      ['deribit', 'Bitmex'],
      2,
      /unknown symbol "BITMEX"; bitmex is an exchange: name several in one argument, as in deribit,bitmex\n/,
    ],
    [['b*', 'ZZZ*'], 0, /^warning no symbol on 3 exchanges matches "ZZZ\*"; /],
    [['b*', 'XBTUSD', '-t', 'book_ticker'], 0, /^warning no symbol on 3 exchanges matches all filters\n$/],
  ];
  for (const [words, code, message] of cases) {
    const { exitCode, stderr } = await runHere(['symbols', ...words], { env });
    assert.match(stderr, message);
    assert.equal(exitCode, code, words.join(' '));
  }
});

/** A service of which some requests are answered otherwise. @returns the environment of commands. */
async function serviceWith(
  t: TestContext,
  answer: (url: string, response: ServerResponse) => boolean,
): Promise<Record<string, string>> {
  const service = await sandbox(t);
  const pass = forward(service.apiUrl);
  const address = await serve(t, (request, response) => {
    if (!answer(request.url ?? '', response)) pass(request, response);
  });
  return { ...envOf(service, await tempDir(t)), TICKHAUL_API_URL: address };
}

test('if records cannot be read, the other symbols are printed, and the code says why some are missing', async (t) => {
  const refused: Record<string, readonly [status: number, body: string]> = {
    '/v1/exchanges/bybit': [200, '<html>'],
  };
  const env = await serviceWith(t, (url, response) => {
    const [status, body] = refused[url] ?? [];
    if (status === undefined) return false;
    response.writeHead(status).end(body);
    return true;
  });
  const partial = await runHere([...SEARCH, '--json'], { env });
  assert.deepEqual(namesIn(partial.stdout), ['binance-futures BTCUSDT', 'huobi BTCUSDT']);
  assert.match(
    partial.stderr,
    /^warning bybit: .*expected JSON.*\ntickhaul: the symbols of bybit are missing \(1 of 10\s+exchanges\): .*expected JSON/,
  );
  assert.equal(partial.exitCode, 5);
  const quiet = await runHere([...SEARCH, '--quiet'], { env });
  assert.match(quiet.stderr, /^tickhaul: the symbols of bybit are missing/);
  const unsure = await runHere(['symbols', '*', 'BYBIT-ONLY'], { env });
  assert.deepEqual([unsure.exitCode, /unknown symbol/.test(unsure.stderr)], [5, false]);

  refused['/v1/exchanges/huobi'] = [403, '{"code":1,"message":"no"}'];
  const mixed = await runHere(['symbols', 'bybit,huobi,kraken', '--json'], {
    env: { ...env, XDG_CACHE_HOME: await tempDir(t) },
  });
  assert.equal(mixed.exitCode, 3);
  assert.deepEqual(namesIn(mixed.stdout), ['kraken XBT-USD', 'kraken ETH-EUR']);
  assert.match(mixed.stderr, /the symbols of bybit, huobi are missing \(2 of 3 exchanges\)/);
});

test('eight records are fetched at once', async (t) => {
  const waiting: ServerResponse[] = [];
  const record = { id: 'x', datasets: { exportedUntil: '2024-03-10T00:00:00Z', symbols: [] } };
  let inFlight = 0;
  let most = 0;
  let isOpen = false;
  const env = await serviceWith(t, (url, response) => {
    if (!url.startsWith('/v1/exchanges/')) return false;
    most = Math.max(most, ++inFlight);
    waiting.push(response);
    // The last two of ten are requested after the first eight are answered.
    isOpen ||= waiting.length === 8;
    if (!isOpen) return true;
    for (const open of waiting.splice(0)) {
      inFlight--;
      open.end(JSON.stringify(record));
    }
    return true;
  });
  const { exitCode } = await runHere(['symbols', '*', '--json'], { env });
  assert.deepEqual([exitCode, most], [0, 8]);
});

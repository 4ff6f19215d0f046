import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { jsonLines } from '../helpers/cli.js';
import { runHere } from '../helpers/in-process.js';
import { tempDir } from '../helpers/temp.js';
import { serve } from '../service/loopback.js';

const EXPORTED = '2024-03-10T00:00:00.000Z';

const listed = (id: string) => ({
  id,
  type: 'spot\x1b]0;title\x07',
  dataTypes: ['trades'],
  availableSince: '2024-01-01T00:00:00.000Z',
});

test('control characters of a record never reach the terminal', async (t) => {
  const record = {
    id: 'deribit',
    name: '\x1b[2JDeribit\t\r\n\x9b31m\u202eneedle',
    availableSince: '\x1b[31m2019',
    datasets: { exportedUntil: EXPORTED, symbols: [listed('BTC\x1b[2J\n-X')] },
  };
  const address = await serve(t, ({ url }, answer) => {
    answer.end(JSON.stringify(url === '/v1/exchanges' ? [record] : record));
  });
  const env = { TICKHAUL_API_URL: address, XDG_CACHE_HOME: await tempDir(t) };
  for (const words of [['exchanges'], ['exchanges', 'deribit'], ['symbols', 'deribit']]) {
    const { exitCode, stdout, stderr } = await runHere(words, { env });
    assert.equal(exitCode, 0, stderr);
    assert.doesNotMatch(stdout, /[^\P{Cc}\n]|\u202e/u, words.join(' '));
    assert.match(stdout, /\ufffd/);
    const json = await runHere([...words, '--json'], { env });
    assert.doesNotMatch(json.stdout, /[^\P{Cc}\n]|\u202e/u, words.join(' '));
    assert.ok(JSON.stringify(JSON.parse(json.stdout)).includes('\\u001b['));
  }
});

/** Starts a service with endless responses. @returns its address, and a function for the bytes written until now. */
async function endlessService(t: TestContext): Promise<{ address: string; written: () => number }> {
  let written = 0;
  const address = await serve(t, (_, answer) => {
    const block = Buffer.alloc(64 * 1024, ' ');
    const more = (): void => {
      while (!answer.destroyed) {
        written += block.length;
        if (!answer.write(block)) return;
      }
    };
    answer.on('drain', more);
    more();
  });
  return { address, written: () => written };
}

for (const words of [
  ['exchanges', 'deribit'],
  ['instruments', 'deribit'],
]) {
  test(`${words[0]}: an endless metadata response is aborted with code 5`, async (t) => {
    const { address } = await endlessService(t);
    const env = {
      TICKHAUL_API_URL: address,
      XDG_CACHE_HOME: await tempDir(t),
      TICKHAUL_MAX_ANSWER: '2MB',
    };
    const { exitCode, stderr } = await runHere(words, { env });
    assert.equal(exitCode, 5, stderr);
    assert.match(stderr, /the response is larger than 2\.0 MB; check the host, or raise TICKHAUL_MAX_ANSWER/);
  });

  test(`${words[0]}: without a configured limit, at most 201 MB of it are read`, async (t) => {
    const { address, written } = await endlessService(t);
    const env = { TICKHAUL_API_URL: address, XDG_CACHE_HOME: await tempDir(t) };
    const { exitCode, stderr } = await runHere(words, { env });
    assert.equal(exitCode, 5, stderr);
    assert.match(stderr, /the response is larger than 201 MB/);
    // Bytes in the buffers of both ends are sent but not read.
    assert.ok(written() < 240e6, `${written()} bytes were sent`);
  });
}

test('a symbol listed twice, or in two cases, counts once', async (t) => {
  const symbols = ['btcusdt', 'BTCUSDT', 'BTCUSDT', 'ETHUSDT', 'ethusdt'].map(listed);
  const record = { id: 'binance', datasets: { exportedUntil: EXPORTED, symbols } };
  const address = await serve(t, (_, answer) => void answer.end(JSON.stringify(record)));
  const dir = await tempDir(t);
  const env = { TICKHAUL_API_URL: address, XDG_CACHE_HOME: dir, TICKHAUL_DIR: dir };
  for (const symbol of ['all', '*', 'BTCUSDT,ethusdt,btcusdt']) {
    const words = ['plan', 'binance', '-t', 'trades', '-s', symbol, '--date', '2024-03-01', '--json'];
    const files = jsonLines(await runHere(words, { env })).filter(({ event }) => event === 'file');
    assert.deepEqual(files.map((file) => file['symbol']).toSorted(), ['BTCUSDT', 'ETHUSDT'], symbol);
  }
});

test('endless headers are reported as the cause', async (t) => {
  const address = await serve(t, (_, answer) => {
    answer.writeHead(
      200,
      Object.fromEntries(Array.from({ length: 40 }, (__, n) => [`x-${n}`, 'y'.repeat(1000)])),
    );
    answer.end('[]');
  });
  const env = { TICKHAUL_API_URL: address, XDG_CACHE_HOME: await tempDir(t) };
  const { exitCode, stderr } = await runHere(['exchanges'], { env });
  assert.equal(exitCode, 5);
  assert.match(stderr, /sent more headers than the service ever does/);
  assert.doesNotMatch(stderr, /DNS/);
});
